// The tables behind builtins.hpp, as text: "[kind, where it may stand, header]" opens a section; each line is
// "declaration | help". A math function in double stands for its float form, too; a rounded one to nearest for those of
// the other directions; one that packs four bytes for that of two 16-bit numbers.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view builtin_table() {
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

[function device]
void __syncthreads() | Wait for all threads of the block; their writes to shared and global memory are then visible
int __syncthreads_count(int predicate) | __syncthreads(), and the number of threads whose predicate is not 0
int __syncthreads_and(int predicate) | __syncthreads(), and not 0 if all predicates are
int __syncthreads_or(int predicate) | __syncthreads(), and not 0 if any predicate is
void __syncwarp(unsigned mask = 0xffffffff) | Wait for the threads of the warp that mask names
void __threadfence() | Order this thread's writes for all threads of the device
void __threadfence_block() | Order this thread's writes for the threads of the block
void __threadfence_system() | Order this thread's writes for the device and the host
T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) | The value of another lane of the warp
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) | The value of the lane delta below
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) | The value of the lane delta above
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) | The value of the lane whose number is this one's xor lane_mask
int __all_sync(unsigned mask, int predicate) | Not 0 if the predicate holds in all lanes of mask
int __any_sync(unsigned mask, int predicate) | Not 0 if the predicate holds in a lane of mask
unsigned __ballot_sync(unsigned mask, int predicate) | A bit for each lane of mask in which the predicate holds
unsigned __activemask() | A bit for each lane that runs this instruction now
unsigned __match_any_sync(unsigned mask, T value) | The lanes of mask with the same value
unsigned __match_all_sync(unsigned mask, T value, int* predicate) | mask if all lanes have the same value, else 0
unsigned __reduce_add_sync(unsigned mask, unsigned value) | Sum over the lanes of mask (compute capability 8.0)
unsigned __reduce_min_sync(unsigned mask, unsigned value) | Least value of the lanes of mask
unsigned __reduce_max_sync(unsigned mask, unsigned value) | Greatest value of the lanes of mask
unsigned __reduce_and_sync(unsigned mask, unsigned value) | Bitwise and over the lanes of mask
unsigned __reduce_or_sync(unsigned mask, unsigned value) | Bitwise or over the lanes of mask
unsigned __reduce_xor_sync(unsigned mask, unsigned value) | Bitwise xor over the lanes of mask
T atomicAdd(T* address, T value) | Add atomically; the old value. int, unsigned, unsigned long long, float, double, half2, bfloat162
T atomicSub(T* address, T value) | Subtract atomically; the old value
T atomicExch(T* address, T value) | Store atomically; the old value
T atomicMin(T* address, T value) | Keep the lesser value atomically; the old value
T atomicMax(T* address, T value) | Keep the greater value atomically; the old value
unsigned atomicInc(unsigned* address, unsigned limit) | Count up atomically, from limit to 0; the old value
unsigned atomicDec(unsigned* address, unsigned limit) | Count down atomically, from 0 to limit; the old value
T atomicCAS(T* address, T compare, T value) | Store value if the old value equals compare; the old value
T atomicAnd(T* address, T value) | Bitwise and, atomically; the old value
T atomicOr(T* address, T value) | Bitwise or, atomically; the old value
T atomicXor(T* address, T value) | Bitwise xor, atomically; the old value
T atomicAdd_block(T* address, T value) | atomicAdd() for the threads of one block
T atomicAdd_system(T* address, T value) | atomicAdd() for the device and the host
T __ldg(const T* address) | Load through the read-only cache
T __ldca(const T* address) | Load, cached at all levels
T __ldcg(const T* address) | Load, cached in L2
T __ldcs(const T* address) | Load for a single use
T __ldcv(const T* address) | Load anew, without caches
void __stcg(T* address, T value) | Store, cached in L2
void __stcs(T* address, T value) | Store what is not used again soon
void __stwb(T* address, T value) | Store, written back from all levels
void __stwt(T* address, T value) | Store through the caches
int __clz(int x) | Zero bits in front of the highest set bit: 32 for 0
int __clzll(long long x) | Zero bits in front of the highest set bit: 64 for 0
int __popc(unsigned x) | Number of set bits
int __popcll(unsigned long long x) | Number of set bits
int __ffs(int x) | Position of the lowest set bit, from 1; 0 for 0
int __ffsll(long long x) | Position of the lowest set bit, from 1; 0 for 0
unsigned __brev(unsigned x) | The bits in reverse order
unsigned long long __brevll(unsigned long long x) | The bits in reverse order
unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) | Four bytes of x and y, as the selector's digits name them
unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) | High word of hi:lo shifted left by shift mod 32
unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) | Low word of hi:lo shifted right by shift mod 32
unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) | High word of hi:lo shifted left by at most 32
unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) | Low word of hi:lo shifted right by at most 32
int __mul24(int x, int y) | Product of the lower 24 bits
unsigned __umul24(unsigned x, unsigned y) | Product of the lower 24 bits
int __mulhi(int x, int y) | High 32 bits of the product
unsigned __umulhi(unsigned x, unsigned y) | High 32 bits of the product
long long __mul64hi(long long x, long long y) | High 64 bits of the product
unsigned long long __umul64hi(unsigned long long x, unsigned long long y) | High 64 bits of the product
unsigned __sad(int x, int y, unsigned z) | |x - y| + z
unsigned __usad(unsigned x, unsigned y, unsigned z) | |x - y| + z
int __rhadd(int x, int y) | (x + y + 1) >> 1 without overflow
int __dp4a(int a, int b, int c) | Dot product of four bytes each, plus c
int __dp2a_lo(int a, int b, int c) | Dot product of two 16-bit and the two lower bytes, plus c
int __dp2a_hi(int a, int b, int c) | Dot product of two 16-bit and the two upper bytes, plus c
float __frsqrt_rn(float x) | 1 / sqrt(x) rounded to nearest even
float __fdividef(float x, float y) | Fast approximate quotient
float __expf(float x) | Fast approximate e to the x
float __exp10f(float x) | Fast approximate 10 to the x
float __logf(float x) | Fast approximate natural logarithm
float __log2f(float x) | Fast approximate logarithm to base 2
float __log10f(float x) | Fast approximate logarithm to base 10
float __powf(float x, float y) | Fast approximate x to the y
unsigned __fns(unsigned mask, unsigned base, int offset) | Position of the offset-th set bit from base; 0xffffffff when there is none
unsigned __uhadd(unsigned x, unsigned y) | (x + y) >> 1 without overflow
unsigned __urhadd(unsigned x, unsigned y) | (x + y + 1) >> 1 without overflow
int __viaddmax_s32(int a, int b, int c) | max(a + b, c)
int __viaddmin_s32(int a, int b, int c) | min(a + b, c)
int __vimax3_s32(int a, int b, int c) | The greatest of three
int __vimin3_s32(int a, int b, int c) | The least of three
unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) | max(a + b, c)
unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) | The greatest of three
unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) | The least of three
T __ldlu(const T* address) | Load for the last time
unsigned umin(unsigned x, unsigned y) | The lesser one
unsigned umax(unsigned x, unsigned y) | The greater one
float fdividef(float x, float y) | x / y, with -use_fast_math the approximate quotient
float __tanhf(float x) | Fast approximate hyperbolic tangent
float __fmaf_ieee_rn(float x, float y, float z) | x * y + z rounded once, denormal numbers kept in any case
void __prof_trigger(int counter) | Count for a profiler: 0 to 7
void* __builtin_assume_aligned(const void* p, size_t alignment) | p, with a promise that it is aligned
void* alloca(size_t bytes) | Memory of this function's stack frame
T atomicSub_block(T* address, T value) | atomicSub() for the threads of one block
T atomicSub_system(T* address, T value) | atomicSub() for the device and the host
T atomicExch_block(T* address, T value) | atomicExch() for the threads of one block
T atomicExch_system(T* address, T value) | atomicExch() for the device and the host
T atomicMin_block(T* address, T value) | atomicMin() for the threads of one block
T atomicMin_system(T* address, T value) | atomicMin() for the device and the host
T atomicMax_block(T* address, T value) | atomicMax() for the threads of one block
T atomicMax_system(T* address, T value) | atomicMax() for the device and the host
T atomicCAS_block(T* address, T compare, T value) | atomicCAS() for the threads of one block
T atomicCAS_system(T* address, T compare, T value) | atomicCAS() for the device and the host
void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0) | Copy 4, 8 or 16 bytes to shared memory without waiting; <cuda_pipeline.h>
void __pipeline_commit() | Close a batch of asynchronous copies; <cuda_pipeline.h>
void __pipeline_wait_prior(size_t batches) | Wait for all but the last batches of asynchronous copies; <cuda_pipeline.h>
float __sinf(float x) | Fast approximate sine
float __cosf(float x) | Fast approximate cosine
float __tanf(float x) | Fast approximate tangent
void __sincosf(float x, float* sine, float* cosine) | Fast approximate sine and cosine
float __saturatef(float x) | x clamped to [0, 1]
int __float_as_int(float x) | The bits of a float
float __int_as_float(int x) | A float of these bits
unsigned __float_as_uint(float x) | The bits of a float
float __uint_as_float(unsigned x) | A float of these bits
long long __double_as_longlong(double x) | The bits of a double
double __longlong_as_double(long long x) | A double of these bits
double __hiloint2double(int hi, int lo) | A double of two words
int __double2hiint(double x) | The upper word of a double
int __double2loint(double x) | The lower word of a double
long long clock64() | A counter of the multiprocessor's cycles
clock_t clock() | A counter of the multiprocessor's cycles
void __nanosleep(unsigned nanoseconds) | Let the thread sleep, about as long
void __trap() | End the kernel with an error
void __brkpt() | Break into a debugger
unsigned __isGlobal(const void* pointer) | Not 0 if the pointer is to global memory
unsigned __isShared(const void* pointer) | Not 0 if the pointer is to shared memory
unsigned __isConstant(const void* pointer) | Not 0 if the pointer is to constant memory
unsigned __isLocal(const void* pointer) | Not 0 if the pointer is to local memory
size_t __cvta_generic_to_shared(const void* pointer) | The address inside shared memory, for inline PTX
size_t __cvta_generic_to_global(const void* pointer) | The address inside global memory, for inline PTX
void __builtin_assume(bool condition) | A promise to the compiler
void __builtin_unreachable() | A promise that this is never reached
bool __builtin_expect(long x, long expected) | Which way a branch goes most often
void* malloc(size_t size) | Memory of the device's heap; %config sets its size
void free(void* pointer) | Give memory of the device's heap back
void* memcpy(void* to, const void* from, size_t size) | Copy bytes
void* memset(void* to, int value, size_t size) | Set bytes
T min(T x, T y) | The lesser value
T max(T x, T y) | The greater value
int abs(int x) | Absolute value
long long llabs(long long x) | Absolute value
T tex1Dfetch<T>(cudaTextureObject_t texture, int x) | Read an element of a texture of one dimension
T tex1D<T>(cudaTextureObject_t texture, float x) | Read a texture in one dimension
T tex2D<T>(cudaTextureObject_t texture, float x, float y) | Read a texture in two dimensions
T tex3D<T>(cudaTextureObject_t texture, float x, float y, float z) | Read a texture in three dimensions
T tex1DLayered<T>(cudaTextureObject_t texture, float x, int layer) | Read a layer of one dimension
T tex2DLayered<T>(cudaTextureObject_t texture, float x, float y, int layer) | Read a layer of two dimensions
T tex2Dgather<T>(cudaTextureObject_t texture, float x, float y, int channel = 0) | One channel of the four elements around a place; T has four members
T surf1Dread<T>(cudaSurfaceObject_t surface, int x) | Read a surface; x in bytes
void surf1Dwrite<T>(T value, cudaSurfaceObject_t surface, int x) | Write a surface; x in bytes
T surf2Dread<T>(cudaSurfaceObject_t surface, int x, int y) | Read a surface; x in bytes
void surf2Dwrite<T>(T value, cudaSurfaceObject_t surface, int x, int y) | Write a surface; x in bytes
T surf3Dread<T>(cudaSurfaceObject_t surface, int x, int y, int z) | Read a surface; x in bytes
void surf3Dwrite<T>(T value, cudaSurfaceObject_t surface, int x, int y, int z) | Write a surface; x in bytes

[function everywhere]
int printf(const char* format, ...) | Print formatted text into the output of the cell; also from device code
void assert(bool condition) | End the cell with an error unless the condition holds; also in device code

[rounded device]
float __fadd_rn(float x, float y) | Sum rounded to nearest even, never contracted to an FMA
float __fsub_rn(float x, float y) | Difference rounded to nearest even, never contracted to an FMA
float __fmul_rn(float x, float y) | Product rounded to nearest even, never contracted to an FMA
float __fmaf_rn(float x, float y, float z) | x * y + z rounded once, to nearest even
float __fdiv_rn(float x, float y) | Quotient rounded to nearest even
float __frcp_rn(float x) | 1 / x rounded to nearest even
float __fsqrt_rn(float x) | Square root rounded to nearest even
double __dadd_rn(double x, double y) | Sum rounded to nearest even, never contracted to an FMA
double __dmul_rn(double x, double y) | Product rounded to nearest even, never contracted to an FMA
double __fma_rn(double x, double y, double z) | x * y + z rounded once, to nearest even
double __ddiv_rn(double x, double y) | Quotient rounded to nearest even
double __dsqrt_rn(double x) | Square root rounded to nearest even
int __float2int_rn(float x) | To int, rounded to nearest even
unsigned __float2uint_rn(float x) | To unsigned, rounded to nearest even
float __int2float_rn(int x) | To float, rounded to nearest even
float __uint2float_rn(unsigned x) | To float, rounded to nearest even
int __double2int_rn(double x) | To int, rounded to nearest even
float __double2float_rn(double x) | To float, rounded to nearest even
long long __float2ll_rn(float x) | To long long, rounded to nearest even
unsigned long long __float2ull_rn(float x) | To unsigned long long, rounded to nearest even
unsigned __double2uint_rn(double x) | To unsigned, rounded to nearest even
long long __double2ll_rn(double x) | To long long, rounded to nearest even
unsigned long long __double2ull_rn(double x) | To unsigned long long, rounded to nearest even
float __ll2float_rn(long long x) | To float, rounded to nearest even
double __ll2double_rn(long long x) | To double, rounded to nearest even
float __ull2float_rn(unsigned long long x) | To float, rounded to nearest even
double __ull2double_rn(unsigned long long x) | To double, rounded to nearest even
double __drcp_rn(double x) | 1 / x rounded to nearest even
double __dsub_rn(double x, double y) | Difference rounded to nearest even, never contracted to an FMA

[function device]
float normf(int dimension, const float* a) | Length of a vector, in single precision
float rnormf(int dimension, const float* a) | 1 / normf(dimension, a)
double rnorm(int dimension, const double* a) | 1 / norm(dimension, a)

[packed device]
unsigned __vadd4(unsigned x, unsigned y) | Sums of four bytes each
unsigned __vaddss4(unsigned x, unsigned y) | Sums of four signed bytes each, saturated
unsigned __vaddus4(unsigned x, unsigned y) | Sums of four unsigned bytes each, saturated
unsigned __vsub4(unsigned x, unsigned y) | Differences of four bytes each
unsigned __vsubss4(unsigned x, unsigned y) | Differences of four signed bytes each, saturated
unsigned __vsubus4(unsigned x, unsigned y) | Differences of four unsigned bytes each, saturated
unsigned __vabs4(unsigned x) | Magnitudes of four signed bytes
unsigned __vneg4(unsigned x) | Four signed bytes negated
unsigned __vabsdiffs4(unsigned x, unsigned y) | |x - y| of four signed bytes each
unsigned __vabsdiffu4(unsigned x, unsigned y) | |x - y| of four unsigned bytes each
unsigned __vsads4(unsigned x, unsigned y) | Sum of |x - y| over four signed bytes
unsigned __vsadu4(unsigned x, unsigned y) | Sum of |x - y| over four unsigned bytes
unsigned __vavgs4(unsigned x, unsigned y) | Rounded means of four signed bytes each
unsigned __vavgu4(unsigned x, unsigned y) | Rounded means of four unsigned bytes each
unsigned __vmaxs4(unsigned x, unsigned y) | Greater ones of four signed bytes each
unsigned __vmaxu4(unsigned x, unsigned y) | Greater ones of four unsigned bytes each
unsigned __vmins4(unsigned x, unsigned y) | Lesser ones of four signed bytes each
unsigned __vminu4(unsigned x, unsigned y) | Lesser ones of four unsigned bytes each
unsigned __vcmpeq4(unsigned x, unsigned y) | 0xff where four bytes are equal, else 0
unsigned __vcmpne4(unsigned x, unsigned y) | 0xff where four bytes differ, else 0
unsigned __vcmpges4(unsigned x, unsigned y) | 0xff where x >= y of four signed bytes, else 0
unsigned __vcmpgeu4(unsigned x, unsigned y) | 0xff where x >= y of four unsigned bytes, else 0
unsigned __vcmpgts4(unsigned x, unsigned y) | 0xff where x > y of four signed bytes, else 0
unsigned __vcmpgtu4(unsigned x, unsigned y) | 0xff where x > y of four unsigned bytes, else 0
unsigned __vcmples4(unsigned x, unsigned y) | 0xff where x <= y of four signed bytes, else 0
unsigned __vcmpleu4(unsigned x, unsigned y) | 0xff where x <= y of four unsigned bytes, else 0
unsigned __vcmplts4(unsigned x, unsigned y) | 0xff where x < y of four signed bytes, else 0
unsigned __vcmpltu4(unsigned x, unsigned y) | 0xff where x < y of four unsigned bytes, else 0
unsigned __vseteq4(unsigned x, unsigned y) | 1 where four bytes are equal, else 0
unsigned __vsetne4(unsigned x, unsigned y) | 1 where four bytes differ, else 0

[math device]
double sin(double x) | Sine of x, in radians
double cos(double x) | Cosine of x, in radians
double tan(double x) | Tangent of x, in radians
double asin(double x) | Arc sine
double acos(double x) | Arc cosine
double atan(double x) | Arc tangent
double atan2(double y, double x) | Angle of the point (x, y)
double sinh(double x) | Hyperbolic sine
double cosh(double x) | Hyperbolic cosine
double tanh(double x) | Hyperbolic tangent
double asinh(double x) | Inverse hyperbolic sine
double acosh(double x) | Inverse hyperbolic cosine
double atanh(double x) | Inverse hyperbolic tangent
double sinpi(double x) | Sine of pi * x
double cospi(double x) | Cosine of pi * x
void sincos(double x, double* sine, double* cosine) | Sine and cosine of x
void sincospi(double x, double* sine, double* cosine) | Sine and cosine of pi * x
double exp(double x) | e to the x
double exp2(double x) | 2 to the x
double exp10(double x) | 10 to the x
double expm1(double x) | e to the x, minus 1, exact for small x
double log(double x) | Natural logarithm
double log2(double x) | Logarithm to base 2
double log10(double x) | Logarithm to base 10
double log1p(double x) | Logarithm of 1 + x, exact for small x
double logb(double x) | The binary exponent as a number
int ilogb(double x) | The binary exponent
double pow(double x, double y) | x to the y
double sqrt(double x) | Square root
double rsqrt(double x) | 1 / sqrt(x)
double cbrt(double x) | Cube root
double rcbrt(double x) | 1 / cbrt(x)
double hypot(double x, double y) | sqrt(x * x + y * y) without overflow
double rhypot(double x, double y) | 1 / hypot(x, y)
double norm3d(double x, double y, double z) | Length of a vector of three
double rnorm3d(double x, double y, double z) | 1 / norm3d(x, y, z)
double rnorm4d(double a, double b, double c, double d) | 1 / norm4d(a, b, c, d)
double scalbln(double x, long n) | x * 2 to the n
double norm4d(double x, double y, double z, double t) | Length of a vector of four
double fabs(double x) | Absolute value
double fma(double x, double y, double z) | x * y + z rounded once
double fmod(double x, double y) | Remainder with the sign of x
double remainder(double x, double y) | Remainder of the quotient rounded to nearest even
double remquo(double x, double y, int* quotient) | remainder(), and the low bits of the quotient
double modf(double x, double* whole) | Fraction, and the whole part
double frexp(double x, int* exponent) | Significand in [0.5, 1) and exponent
double ldexp(double x, int exponent) | x * 2 to the exponent
double scalbn(double x, int exponent) | x * 2 to the exponent
double fmin(double x, double y) | The lesser value; a number rather than a NaN
double fmax(double x, double y) | The greater value; a number rather than a NaN
double fdim(double x, double y) | x - y, or 0 if that is negative
double floor(double x) | Rounded down
double ceil(double x) | Rounded up
double trunc(double x) | Rounded to zero
double round(double x) | Rounded to nearest, halves away from zero
double rint(double x) | Rounded to nearest even
double nearbyint(double x) | Rounded to nearest even
long lround(double x) | Rounded to nearest, as a long
long lrint(double x) | Rounded to nearest even, as a long
long long llround(double x) | Rounded to nearest, as a long long
long long llrint(double x) | Rounded to nearest even, as a long long
double copysign(double x, double y) | The size of x with the sign of y
double nextafter(double x, double y) | The next value in the direction of y
double nan(const char* tag) | A NaN
double erf(double x) | Error function
double erfc(double x) | 1 - erf(x)
double erfcx(double x) | exp(x * x) * erfc(x)
double erfinv(double x) | Inverse error function
double erfcinv(double x) | Inverse of erfc
double normcdf(double x) | Cumulative normal distribution
double normcdfinv(double x) | Inverse of normcdf
double tgamma(double x) | Gamma function
double lgamma(double x) | Logarithm of the gamma function
double j0(double x) | Bessel function of the first kind, order 0
double j1(double x) | Bessel function of the first kind, order 1
double jn(int n, double x) | Bessel function of the first kind, order n
double y0(double x) | Bessel function of the second kind, order 0
double y1(double x) | Bessel function of the second kind, order 1
double yn(int n, double x) | Bessel function of the second kind, order n
double cyl_bessel_i0(double x) | Modified Bessel function, order 0
double cyl_bessel_i1(double x) | Modified Bessel function, order 1

[predicate device]
bool isnan(double x) | Is x a NaN?
bool isinf(double x) | Is x infinite?
bool isfinite(double x) | Is x neither infinite nor a NaN?
bool signbit(double x) | Is the sign bit of x set?

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

[function device <cuda_fp16.h>]
__half __float2half(float x) | To half, rounded to nearest even
float __half2float(__half x) | To float
__half2 __floats2half2_rn(float x, float y) | Two floats as a half2
float2 __half22float2(__half2 x) | A half2 as two floats
__half __hadd(__half x, __half y) | Sum of halves
__half __hmul(__half x, __half y) | Product of halves
__half __hfma(__half x, __half y, __half z) | x * y + z of halves, rounded once
__half2 __hadd2(__half2 x, __half2 y) | Two sums of halves
__half2 __hmul2(__half2 x, __half2 y) | Two products of halves
__half2 __hfma2(__half2 x, __half2 y, __half2 z) | Two x * y + z of halves
__half hsqrt(__half x) | Square root of a half
__half2 h2sqrt(__half2 x) | Two square roots of halves
__half2 h2exp(__half2 x) | e to each of two halves
__half __float2half_rn(float x) | To half, rounded to nearest even
__half __float2half_rz(float x) | To half, rounded towards zero
__half2 __halves2half2(__half x, __half y) | Two halves as a half2
__half2 __half2half2(__half x) | A half2 of the same half twice
float __low2float(__half2 x) | The lower half as a float
float __high2float(__half2 x) | The upper half as a float
__half __low2half(__half2 x) | The lower half
__half __high2half(__half2 x) | The upper half
__half __hsub(__half x, __half y) | Difference of halves
__half __hdiv(__half x, __half y) | Quotient of halves
__half __hneg(__half x) | -x of a half
__half __habs(__half x) | Magnitude of a half
__half __hmax(__half x, __half y) | The greater of two halves
__half __hmin(__half x, __half y) | The lesser of two halves
__half2 __hsub2(__half2 x, __half2 y) | Two differences of halves
bool __heq(__half x, __half y) | x == y of halves
bool __hne(__half x, __half y) | x != y of halves
bool __hgt(__half x, __half y) | x > y of halves
bool __hge(__half x, __half y) | x >= y of halves
bool __hlt(__half x, __half y) | x < y of halves
bool __hle(__half x, __half y) | x <= y of halves
bool __hisnan(__half x) | Is a half NaN?
__half hlog(__half x) | Natural logarithm of a half
__half hsin(__half x) | Sine of a half
__half hcos(__half x) | Cosine of a half
__half hrsqrt(__half x) | 1 / sqrt(x) of a half
__half hrcp(__half x) | 1 / x of a half
__half hexp(__half x) | e to the x of a half

[type device <cuda_fp16.h>]
__half | 16-bit floating point (IEEE binary16)
__half2 | Two halves
half2 | Two halves: __half2

[function device <cuda_bf16.h>]
__nv_bfloat16 __float2bfloat16(float x) | To bfloat16, rounded to nearest even
float __bfloat162float(__nv_bfloat16 x) | To float

[type device <cuda_bf16.h>]
__nv_bfloat16 | 16-bit floating point with float's range
__nv_bfloat162 | Two bfloat16

[function device <curand_kernel.h>]
void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandState* state) | Set a generator up; a sequence for each thread
unsigned curand(curandState* state) | 32 random bits
float curand_uniform(curandState* state) | Uniform in (0, 1]
double curand_uniform_double(curandState* state) | Uniform in (0, 1]
float4 curand_uniform4(curandStatePhilox4_32_10_t* state) | Four uniform numbers in (0, 1]
float4 curand_normal4(curandStatePhilox4_32_10_t* state) | Four normal numbers
uint4 curand4(curandStatePhilox4_32_10_t* state) | Four times 32 random bits
float2 curand_normal2(curandState* state) | Two normal numbers
float curand_log_normal(curandState* state, float mean, float stddev) | Log-normal distributed
float curand_normal(curandState* state) | Normal with mean 0 and deviation 1
double curand_normal_double(curandState* state) | Normal with mean 0 and deviation 1
unsigned curand_poisson(curandState* state, double lambda) | Poisson distributed

[type device <curand_kernel.h>]
curandState | State of the XORWOW generator
curandStatePhilox4_32_10_t | State of the Philox generator
curandStateMRG32k3a | State of the MRG32k3a generator

[function device <cooperative_groups.h>]
cooperative_groups::thread_block cooperative_groups::this_thread_block() | The threads of this block as a group
cooperative_groups::grid_group cooperative_groups::this_grid() | All threads of the grid; sync() needs a cooperative launch
cooperative_groups::cluster_group cooperative_groups::this_cluster() | The blocks of this cluster (compute capability 9.0)
cooperative_groups::coalesced_group cooperative_groups::coalesced_threads() | The threads that run together now
cooperative_groups::thread_block_tile<N> cooperative_groups::tiled_partition<N>(group) | Tiles of N threads, a power of 2 up to 32
T cooperative_groups::reduce(group, T value, op) | Reduce over a group; <cooperative_groups/reduce.h>
void cooperative_groups::sync(group) | Wait for the threads of a group

[function device <mma.h>]
void nvcuda::wmma::fill_fragment(fragment& a, T value) | Set all elements of a fragment
void nvcuda::wmma::load_matrix_sync(fragment& a, const T* from, unsigned ldm) | Load a tile of a matrix
void nvcuda::wmma::store_matrix_sync(T* to, const fragment& a, unsigned ldm, layout_t layout) | Store a tile of a matrix
void nvcuda::wmma::mma_sync(fragment& d, const fragment& a, const fragment& b, const fragment& c) | d = a * b + c on the tensor cores

[type device <mma.h>]
nvcuda::wmma::fragment | Part of a matrix tile that the threads of a warp hold together
)";
}

std::string_view header_list() {
  return "algorithm array assert.h bit cassert cfloat climits cmath concepts cooperative_groups.h cooperative_groups/memcpy_async.h "
         "cooperative_groups/reduce.h cooperative_groups/scan.h cstddef cstdint cstdio cstdlib cstring cub/block/block_load.cuh cub/block/block_radix_sort.cuh "
         "cub/block/block_reduce.cuh cub/block/block_scan.cuh cub/block/block_store.cuh cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh "
         "cuda.h cuda/atomic cuda/barrier cuda/pipeline cuda/std/array cuda/std/atomic cuda/std/bit cuda/std/cmath cuda/std/complex cuda/std/cstdint "
         "cuda/std/functional cuda/std/limits cuda/std/optional cuda/std/span cuda/std/tuple cuda/std/type_traits cuda/std/utility "
         "cuda_bf16.h cuda_fp16.h cuda_fp8.h cuda_runtime.h curand_kernel.h float.h limits limits.h math.h math_constants.h mma.h numeric stddef.h stdint.h "
         "stdio.h stdlib.h string.h tuple type_traits utility vector_types.h";
}

}  // namespace xcuda::command
