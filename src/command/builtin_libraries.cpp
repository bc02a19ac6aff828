// What headers beside the C++ library have: half, bfloat16, cuRAND.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view library_table() {
  return R"([function device <cuda_fp16.h>]
__half __float2half(float x) | To half, rounded to nearest even
float __half2float(__half x) | To float
__half2 __floats2half2_rn(float x, float y) | Two floats as a half2
float2 __half22float2(__half2 x) | A half2 as two floats
__half __float2half_rn(float x) | To half, rounded to nearest even
__half __float2half_rz(float x) | To half, rounded towards zero
__half2 __halves2half2(__half x, __half y) | Two halves as a half2
__half2 __half2half2(__half x) | A half2 of the same half twice
float __low2float(__half2 x) | The lower half as a float
float __high2float(__half2 x) | The upper half as a float
__half __low2half(__half2 x) | The lower half
__half __high2half(__half2 x) | The upper half
int __half2int_rn(__half x) | To int, rounded to nearest even
__half __int2half_rn(int x) | To half, rounded to nearest even
__half __double2half(double x) | To half, rounded to nearest even
unsigned short __half_as_ushort(__half x) | The bits of a half
__half __ushort_as_half(unsigned short x) | A half of these bits
__half2 __lowhigh2highlow(__half2 x) | Both halves exchanged

[halves device <cuda_fp16.h>]
__half __hadd(__half x, __half y) | Sum of halves
__half __hmul(__half x, __half y) | Product of halves
__half __hfma(__half x, __half y, __half z) | x * y + z of halves, rounded once
__half2 __hadd2(__half2 x, __half2 y) | Two sums of halves
__half2 __hmul2(__half2 x, __half2 y) | Two products of halves
__half2 __hfma2(__half2 x, __half2 y, __half2 z) | Two x * y + z of halves
__half hsqrt(__half x) | Square root of a half
__half2 h2sqrt(__half2 x) | Two square roots of halves
__half2 h2exp(__half2 x) | e to each of two halves
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
__half __hadd_sat(__half x, __half y) | Sum clamped to [0, 1]
__half __hmul_sat(__half x, __half y) | Product clamped to [0, 1]
__half __hfma_relu(__half x, __half y, __half z) | x * y + z, 0 where that is negative
bool __hisinf(__half x) | Is a half infinite?
__half hexp2(__half x) | 2 to the x of a half
__half hexp10(__half x) | 10 to the x of a half
__half hlog2(__half x) | Logarithm to base 2 of a half
__half hlog10(__half x) | Logarithm to base 10 of a half
__half hfloor(__half x) | Rounded down
__half hceil(__half x) | Rounded up
__half htrunc(__half x) | Rounded to zero
__half hrint(__half x) | Rounded to nearest even
__half2 __hneg2(__half2 x) | Two halves negated
__half2 __habs2(__half2 x) | Magnitudes of two halves
__half2 __hmin2(__half2 x, __half2 y) | The lesser ones of two halves each
__half2 __hmax2(__half2 x, __half2 y) | The greater ones of two halves each
__half2 __h2div(__half2 x, __half2 y) | Two quotients of halves
__half2 h2log(__half2 x) | Natural logarithms of two halves
__half2 h2sin(__half2 x) | Sines of two halves
__half2 h2cos(__half2 x) | Cosines of two halves
__half2 h2rsqrt(__half2 x) | 1 / sqrt(x) of two halves
__half2 h2rcp(__half2 x) | 1 / x of two halves
bool __hbeq2(__half2 x, __half2 y) | Whether both halves are equal
bool __hblt2(__half2 x, __half2 y) | Whether both halves are less

[type device <cuda_fp16.h>]
__half | 16-bit floating point (IEEE binary16)
__half2 | Two halves
half2 | Two halves: __half2

[function device <cuda_bf16.h>]
__nv_bfloat16 __float2bfloat16(float x) | To bfloat16, rounded to nearest even
float __bfloat162float(__nv_bfloat16 x) | To float
__nv_bfloat16 __double2bfloat16(double x) | To bfloat16, rounded to nearest even
__nv_bfloat162 __floats2bfloat162_rn(float x, float y) | Two floats as a bfloat162
float2 __bfloat1622float2(__nv_bfloat162 x) | A bfloat162 as two floats
__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) | Two bfloat16 as a bfloat162
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) | A bfloat162 of the same bfloat16 twice
unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) | The bits of a bfloat16
__nv_bfloat16 __ushort_as_bfloat16(unsigned short x) | A bfloat16 of these bits

[type device <cuda_bf16.h>]
__nv_bfloat16 | 16-bit floating point with float's range
__nv_bfloat162 | Two bfloat16

[function device <cuda_pipeline.h>]
void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0) | Copy 4, 8 or 16 bytes to shared memory without waiting
void __pipeline_commit() | Close a batch of asynchronous copies
void __pipeline_wait_prior(size_t batches) | Wait for all but the last batches of asynchronous copies

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
double2 curand_normal2_double(curandState* state) | Two normal numbers
double curand_log_normal_double(curandState* state, double mean, double stddev) | Log-normal distributed
float2 curand_log_normal2(curandState* state, float mean, float stddev) | Two log-normal numbers
double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) | Two uniform numbers in (0, 1]
void skipahead(unsigned long long n, curandState* state) | Leave n numbers out
void skipahead_sequence(unsigned long long n, curandState* state) | Leave n sequences out

[type device <curand_kernel.h>]
curandState | State of the XORWOW generator
curandState_t | State of the XORWOW generator
curandStateXORWOW_t | State of the XORWOW generator
curandStatePhilox4_32_10_t | State of the Philox generator
curandStateMRG32k3a_t | State of the MRG32k3a generator
)";
}

}  // namespace xcuda::command
