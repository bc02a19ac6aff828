// Arithmetic of the device: rounded, packed, and the functions of <cmath>.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view math_table() {
  return R"([rounded device]
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
)";
}

}  // namespace xcuda::command
