// Words of CUDA C++ and of the language of statements.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view language_table() {
  return R"([variable device]
const uint3 threadIdx | Index of this thread in its block
const uint3 blockIdx | Index of this block in the grid
const dim3 blockDim | Threads of a block in each dimension
const dim3 gridDim | Blocks of the grid in each dimension
const int warpSize | Threads of a warp: 32
const int __CUDA_ARCH__ | The architecture that device code is compiled for, 900 for sm_90; a macro

[specifier device]
__global__ | A kernel: runs on the device, launched with name<<<grid, block>>>(...)
__device__ | A function or variable of the device
__host__ | A function for statements and device code alike; here all functions are device code
__constant__ | A variable in constant memory: written between launches, read by all threads
__shared__ | A variable that the threads of a block share; extern __shared__ takes its size from the launch
__managed__ | Memory managed for host and device; not available here: declare an array in a statement
__restrict__ | A promise that this pointer's data is reached through no other pointer
__launch_bounds__ | __launch_bounds__(threads, blocks): the most threads of a block, and blocks per multiprocessor to compile for
__cluster_dims__ | __cluster_dims__(x, y, z): blocks of a cluster (compute capability 9.0)
__grid_constant__ | A const parameter of a kernel that stays in constant memory
__maxnreg__ | __maxnreg__(n): the most registers of a thread
__forceinline__ | Inline this function in any case
__noinline__ | Do not inline this function
__align__ | __align__(n): alignment of a type or variable in bytes

[keyword everywhere]
auto
bool
break
case
char
const
constexpr
continue
default
do
double
else
enum
extern
false
float
for
if
inline
int
long
namespace
nullptr
operator
reinterpret_cast
return
short
signed
sizeof
static
static_assert
static_cast
struct
switch
template
this
true
typedef
typename
union
unsigned
using
void
volatile
while

[type everywhere]
dim3 | Three extents of a grid or block; those left out are 1
size_t | unsigned long, 64 bits
int8_t | 8 bits with sign
int16_t | 16 bits with sign
int32_t | 32 bits with sign
int64_t | 64 bits with sign
uint8_t | 8 bits without sign
uint16_t | 16 bits without sign
uint32_t | 32 bits without sign
uint64_t | 64 bits without sign
ptrdiff_t | Differences of pointers, 64 bits
half | 16-bit floating point (IEEE binary16), <cuda_fp16.h> in device code

[type statements]
stream | A queue of work beside the default one: stream s; kernel<<<grid, block, 0, s>>>(...);
event | A mark in a stream: event e; record(e, s); wait(t, e); elapsed(e, f)
texture | An array as the hardware samples it: texture t(x, filter = linear, address = wrap, normalized = true); kernels take a cudaTextureObject_t
surface | An array that kernels read and write by element: surface s(x); kernels take a cudaSurfaceObject_t
bfloat16 | 16-bit floating point with float's range; in device code __nv_bfloat16 of <cuda_bf16.h>
complex<float> | Complex number of two floats; in device code cuda::std::complex<float>
complex<double> | Complex number of two doubles; in device code cuda::std::complex<double>

[type device]
cudaTextureObject_t | What a kernel takes for a texture: texture t(x); kernel<<<...>>>(t)
cudaSurfaceObject_t | What a kernel takes for a surface: surface s(x); kernel<<<...>>>(s)
)";
}

}  // namespace xcuda::command
