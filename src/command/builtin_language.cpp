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

[function everywhere]
int printf(const char* format, ...) | Print formatted text into the output of the cell; also from device code
void assert(bool condition) | End the cell with an error unless the condition holds; also in device code

[function statements]
T arange(start = 0, step = 1) | Initial values start, start + step, ...: int i[n] = arange();
T linspace(start, stop) | Initial values from start to stop, both included: float t[n] = linspace(0, 1);
T uniform(lo = 0, hi = 1, seed) | Random initial values in [lo, hi): float x[n] = uniform(0, 1, seed = 1);
T normal(mean = 0, std = 1, seed) | Normally distributed initial values: float x[n] = normal();
array like(array x) | A new array of x's type and shape: auto out = like(x);
array load(const char* path) | The contents of a NumPy file, a PNG image or a file of raw elements as initial values: float x[n] = load("x.npy");
dim3 cover(size_t nx, size_t ny, size_t nz) | Grid and block that cover so many threads: saxpy<<<cover(n)>>>(...);
void swap(array x, array y) | Exchange the names of two arrays
void record(event e, stream s = 0) | Record an event: it is there when all that was posted to the stream before is done
void wait(stream s, event e) | Let what follows in a stream wait for an event; wait(e) for the default stream
double elapsed(event from, event to) | Milliseconds between two recorded events; waits for them
char* getenv(char* name) | A variable of the environment, or a null pointer: getenv("N") ? atoi(getenv("N")) : 1024
int atoi(char* text) | The integer that a text begins with
double atof(char* text) | The number that a text begins with
T sum(array x, int axis, bool keep = false) | Sum of all elements, or along an axis; integers in 64 bits, floats in double
T prod(array x, int axis, bool keep = false) | Product of all elements, or along an axis
double mean(array x, int axis, bool keep = false) | Mean of all elements, or along an axis
double var(array x, int axis, bool keep = false, double ddof = 0) | Variance: the mean square of the distances from the mean; ddof = 1 for a sample
double std(array x, int axis, bool keep = false, double ddof = 0) | Standard deviation: the square root of var()
bool any(array x, int axis, bool keep = false) | Whether an element is not zero: any(x > 3)
bool all(array x, int axis, bool keep = false) | Whether no element is zero: all(x >= 0)
size_t count(array x, int axis, bool keep = false) | How many elements are not zero: count(x > 3)
size_t argmin(array x, int axis, bool keep = false) | Index of the least element, the first of several; NaN is less than all
size_t argmax(array x, int axis, bool keep = false) | Index of the greatest element, the first of several; NaN is greater than all
T dot(array x, array y) | Sum of the products of the elements
double norm(array x, int axis, bool keep = false) | Square root of the sum of squares
T reduce(array x, T init, function op) | Elements put together by a function of device code that is associative and commutative: reduce(x, 0, f)
array scan(array x, function op, T init, bool inclusive = true) | Running sums, or what an associative function of device code makes of the elements up to each: scan(x)
array sort(array x) | The elements in rising order, NaN last
array argsort(array x) | The indices that sort x, equal elements in their order
array unique(array x) | The different elements in rising order
array histogram(array x, unsigned bins = 10, double lo, double hi) | Counts of elements in bins of one width from lo to hi; without them from the least to the greatest element
array map(extents, function f, ...) | f(i, ...) for each index; arrays are given as pointers: map(n, f, x), map({rows, columns}, f, x)
array where(array condition, yes, no) | yes where the condition holds, else no
array reshape(array x, size_t extents, ...) | The same elements in another shape: reshape(x, 4, 512)
array transpose(array x) | The same elements with the dimensions in the other order
array reverse(array x) | The same elements, the first dimension from its end
bool allclose(array a, array b, double rtol = 1e-5, double atol = 1e-8) | Whether |a - b| <= atol + rtol |b| everywhere; assert(allclose(a, b)) shows the worst element

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
