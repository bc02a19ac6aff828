// Functions of the device that need no header.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view intrinsic_table() {
  return R"([function device]
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
)";
}

}  // namespace xcuda::command
