// The functions of numbers: <cmath>, min, max and the like, also of arrays element by element.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/host_arithmetic.hpp"
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

using Arguments = std::span<const ScalarValue>;

Error wrong(const Where& where, std::string message) {
  return Error(ErrorKind::value, std::move(message)).at(where.get());
}

// The kind that <cmath> computes in: the widest real among the arguments, double for integers.
Kind real_kind(Arguments arguments) {
  Kind kind = arguments[0].kind();
  for (const auto& argument : arguments.subspan(1)) kind = common_kind(kind, argument.kind());
  return is_floating(kind) ? kind : Kind::float64;
}

// f in float for floats and below, else in double.
template <class Float, class Double> ScalarValue real1(Arguments a, Float in_float, Double in_double) {
  const auto kind = real_kind(a);
  const auto x = a[0].as_real();
  return ScalarValue::real(kind,
                           kind == Kind::float64 ? in_double(x) : static_cast<double>(in_float(static_cast<float>(x))));
}
template <class Float, class Double> ScalarValue real2(Arguments a, Float in_float, Double in_double) {
  const auto kind = real_kind(a);
  const auto x = a[0].as_real(), y = a[1].as_real();
  return ScalarValue::real(kind, kind == Kind::float64
                                     ? in_double(x, y)
                                     : static_cast<double>(in_float(static_cast<float>(x), static_cast<float>(y))));
}

ScalarValue absolute(Arguments a, const Where&) {
  const auto kind = promoted(a[0].kind());
  if (is_complex(kind))
    return ScalarValue::real(kind == Kind::complex64 ? Kind::float32 : Kind::float64,
                             std::hypot(a[0].as_real(), a[0].imaginary()));
  if (!is_integer(kind)) return ScalarValue::real(kind, std::fabs(a[0].as_real()));
  return ScalarValue::integer(kind, a[0].is_negative() ? 0 - a[0].as_unsigned() : a[0].as_unsigned());
}

template <int Sign>  // 1: max, -1: min
ScalarValue extreme(Arguments a, const Where& where) {
  Kind kind = a[0].kind();
  for (const auto& argument : a.subspan(1))
    if (argument.kind() != kind) kind = common_kind(kind, argument.kind());
  auto best = convert(a[0], kind);
  for (const auto& argument : a.subspan(1)) {
    const auto next = convert(argument, kind);
    if (binary(BinaryOperator::less, Sign > 0 ? best : next, Sign > 0 ? next : best, where).truth()) best = next;
  }
  return best;
}

ScalarValue clamp(Arguments a, const Where& where) {
  const ScalarValue low[] = {a[0], a[1]};
  const ScalarValue high[] = {extreme<1>(low, where), a[2]};
  return extreme<-1>(high, where);
}

ScalarValue relu(Arguments a, const Where& where) {
  const ScalarValue with_zero[] = {a[0], convert(ScalarValue::of(0), a[0].kind())};
  return std::isnan(a[0].as_real()) ? a[0] : extreme<1>(with_zero, where);
}

ScalarValue ceil_div(Arguments a, const Where& where) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) return ScalarValue::real(kind, std::ceil(a[0].as_real() / a[1].as_real()));
  const auto x = convert(a[0], kind), y = convert(a[1], kind);
  const auto quotient = binary(BinaryOperator::divide, x, y, where),
             rest = binary(BinaryOperator::remainder, x, y, where);
  const bool up = rest.truth() && rest.is_negative() == y.is_negative();
  return up ? binary(BinaryOperator::add, quotient, convert(ScalarValue::of(1), kind), where) : quotient;
}

template <class Integer> ScalarValue rounded(double value) {
  return convert(ScalarValue::of(value), kind_for<Integer>());
}

ScalarValue power(Arguments a, const Where&) {
  return real2(
      a, [](float x, float y) { return std::pow(x, y); }, [](double x, double y) { return std::pow(x, y); });
}

ScalarValue greatest_common_divisor(Arguments a, const Where& where) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) throw wrong(where, "gcd() takes integers");
  auto x = absolute(a.first(1), where).as_unsigned(), y = absolute(a.subspan(1, 1), where).as_unsigned();
  while (y != 0) x = std::exchange(y, x % y);
  return ScalarValue::integer(kind, x);
}

ScalarValue least_common_multiple(Arguments a, const Where& where) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) throw wrong(where, "lcm() takes integers");
  const auto x = absolute(a.first(1), where).as_unsigned(), y = absolute(a.subspan(1, 1), where).as_unsigned();
  if (x == 0 || y == 0) return ScalarValue::integer(kind, 0);
  return ScalarValue::integer(kind, x / greatest_common_divisor(a, where).as_unsigned() * y);
}

// x and y are known to be floating: std::lerp and std::midpoint of float are computed in float.
template <class Function> ScalarValue in_own_type(Arguments a, Function function) {
  const auto kind = real_kind(a);
  if (kind == Kind::float64) return ScalarValue::real(kind, function([&](std::size_t i) { return a[i].as_real(); }));
  return ScalarValue::real(kind, function([&](std::size_t i) { return static_cast<float>(a[i].as_real()); }));
}

ScalarValue midpoint(Arguments a, const Where&) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) return in_own_type(a, [](auto x) { return std::midpoint(x(0), x(1)); });
  const auto x = convert(a[0], kind), y = convert(a[1], kind);
  const auto middle = is_signed(kind) ? static_cast<std::uint64_t>(std::midpoint(x.as_signed(), y.as_signed()))
                                      : std::midpoint(x.as_unsigned(), y.as_unsigned());
  return ScalarValue::integer(kind, middle);
}

ScalarValue scaled(Arguments a, const Where&) {
  const auto power = static_cast<int>(std::clamp<std::int64_t>(a[1].as_signed(), -5000, 5000));
  return ScalarValue::real(real_kind(a.first(1)), std::ldexp(a[0].as_real(), power));
}

ScalarValue part_of(const ScalarValue& z, double part) {
  const bool single = z.kind() == Kind::complex64 || z.kind() == Kind::float32;
  return ScalarValue::real(single ? Kind::float32 : Kind::float64, part);
}

Form least_or_greatest(Given given) { return reduced(given, given[0].type); }

constexpr auto kMath = Trait::of_elements | Trait::single;

// Functions of <cmath>, which C++ and CUDA spell alike.
#define REAL1(name_)                                                                             \
  {                                                                                              \
    .name = #name_, .signatures = "T " #name_ "(T x)",                                           \
    .numbers =                                                                                   \
        [](Arguments a, const Where&) {                                                          \
          return real1(                                                                          \
              a, [](float x) { return std::name_(x); }, [](double x) { return std::name_(x); }); \
        },                                                                                       \
    .traits = kMath | Trait::plain                                                               \
  }
// Functions that CUDA has and C++ does not.
#define OWN1(name_)                                                                                        \
  {                                                                                                        \
    .name = #name_, .signatures = "T " #name_ "(T x)",                                                     \
    .numbers =                                                                                             \
        [](Arguments a, const Where&) {                                                                    \
          return real1(                                                                                    \
              a, [](float x) { return static_cast<float>(name_(x)); }, [](double x) { return name_(x); }); \
        },                                                                                                 \
    .traits = kMath                                                                                        \
  }
#define REAL2(name_)                                                \
  {                                                                 \
    .name = #name_, .signatures = "T " #name_ "(T x, T y)",         \
    .numbers =                                                      \
        [](Arguments a, const Where&) {                             \
          return real2(                                             \
              a, [](float x, float y) { return std::name_(x, y); }, \
              [](double x, double y) { return std::name_(x, y); }); \
        },                                                          \
    .traits = kMath | Trait::plain                                  \
  }
#define TEST1(name_)                                                                                  \
  {                                                                                                   \
    .name = #name_, .signatures = "bool " #name_ "(T x)",                                             \
    .numbers = [](Arguments a, const Where&) { return ScalarValue::of(std::name_(a[0].as_real())); }, \
    .traits = Trait::of_elements | Trait::plain                                                       \
  }

constexpr Function kNumberFunctions[] = {
    REAL1(sin),
    REAL1(cos),
    REAL1(tan),
    REAL1(asin),
    REAL1(acos),
    REAL1(atan),
    REAL1(sinh),
    REAL1(cosh),
    REAL1(tanh),
    REAL1(asinh),
    REAL1(acosh),
    REAL1(atanh),
    REAL1(exp),
    REAL1(exp2),
    REAL1(expm1),
    REAL1(log),
    REAL1(log2),
    REAL1(log10),
    REAL1(log1p),
    REAL1(logb),
    REAL1(sqrt),
    REAL1(cbrt),
    REAL1(floor),
    REAL1(ceil),
    REAL1(trunc),
    REAL1(round),
    REAL1(rint),
    REAL1(nearbyint),
    REAL1(fabs),
    REAL1(erf),
    REAL1(erfc),
    REAL1(tgamma),
    REAL1(lgamma),
    {.name = "rsqrt",
     .signatures = "T rsqrt(T x)",
     .numbers =
         [](Arguments a, const Where&) {
           return real1(
               a, [](float x) { return static_cast<float>(rsqrt(x)); }, [](double x) { return rsqrt(x); });
         },
     .traits = kMath | Trait::plain},
    OWN1(rcbrt),
    {.name = "exp10",
     .signatures = "T exp10(T x)",
     .numbers =
         [](Arguments a, const Where&) {
           return real1(
               a, [](float x) { return exp10f(x); }, [](double x) { return exp10(x); });
         },
     .traits = kMath},
    OWN1(sinpi),
    OWN1(cospi),
    OWN1(normcdf),
    REAL2(atan2),
    REAL2(fmod),
    REAL2(remainder),
    REAL2(hypot),
    REAL2(copysign),
    REAL2(fdim),
    REAL2(fmin),
    REAL2(fmax),
    REAL2(nextafter),
    TEST1(isnan),
    TEST1(isinf),
    TEST1(isfinite),
    TEST1(signbit),
    {.name = "isnormal",
     .signatures = "bool isnormal(T x)",
     .help = "Is x neither zero, subnormal, infinite nor a NaN?",
     .numbers = [](Arguments a, const Where&) { return ScalarValue::of(std::isnormal(a[0].as_real())); }},
    {.name = "pow", .signatures = "T pow(T x, T y)", .numbers = power, .traits = kMath | Trait::plain},
    {.name = "fma",
     .signatures = "T fma(T x, T y, T z)",
     .numbers =
         [](Arguments a, const Where&) {
           const auto kind = real_kind(a);
           const auto x = a[0].as_real(), y = a[1].as_real(), z = a[2].as_real();
           const auto in_float = [&] {
             return std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
           };
           return ScalarValue::real(kind, kind == Kind::float64 ? std::fma(x, y, z) : static_cast<double>(in_float()));
         },
     .traits = kMath | Trait::plain | Trait::widens},
    {.name = "ldexp", .signatures = "T ldexp(T x, int exponent)", .numbers = scaled, .traits = kMath | Trait::widens},
    {.name = "scalbn",
     .signatures = "T scalbn(T x, int exponent)",
     .help = "x times 2 to the power of exponent",
     .numbers = scaled},
    {.name = "scalbln",
     .signatures = "T scalbln(T x, long exponent)",
     .help = "x times 2 to the power of exponent",
     .numbers = scaled},
    {.name = "ilogb",
     .signatures = "int ilogb(T x)",
     .help = "The exponent of x: x is at least 2 to its power, and less than twice that",
     .numbers = [](Arguments a, const Where&) { return ScalarValue::of(std::ilogb(a[0].as_real())); }},
    {.name = "lerp",
     .signatures = "T lerp(T a, T b, T t)",
     .help = "a + t * (b - a), as C++20 has it",
     .numbers = [](Arguments a,
                   const Where&) { return in_own_type(a, [](auto x) { return std::lerp(x(0), x(1), x(2)); }); }},
    {.name = "midpoint",
     .signatures = "T midpoint(T a, T b)",
     .help = "Half the sum of a and b, without overflow; of integers, rounded towards a",
     .numbers = midpoint},
    {.name = "abs",
     .signatures = "T abs(T x)",
     .help = "Absolute value, also of integers; of a complex number, its magnitude",
     .numbers = absolute,
     .traits = Trait::of_elements | Trait::plain | Trait::complex},
    {.name = "labs",
     .signatures = "long labs(long x)",
     .help = "Absolute value",
     .numbers =
         [](Arguments a, const Where& where) {
           const ScalarValue b[] = {convert(a[0], Kind::long64)};
           return absolute(b, where);
         }},
    {.name = "llabs",
     .signatures = "long long llabs(long long x)",
     .help = "Absolute value",
     .numbers =
         [](Arguments a, const Where& where) {
           const ScalarValue b[] = {convert(a[0], Kind::llong64)};
           return absolute(b, where);
         }},
    {.name = "min",
     .signatures = "T min(T x, T y)\nT min(array x [, int axis, bool keep = false])",
     .help = "The lesser of two values; of one array, its least element, or those along an axis; NaN if one is NaN",
     .example = "min(x, 3) - min(x, axis = 0)",
     .operation = Operation::reduction,
     .numbers = extreme<-1>,
     .result = least_or_greatest,
     .device = "Min",
     .part = "reduce",
     .traits = Trait::of_elements | Trait::plain | Trait::one_type},
    {.name = "max",
     .signatures = "T max(T x, T y)\nT max(array x [, int axis, bool keep = false])",
     .help = "The greater of two values; of one array, its greatest element, or those along an axis; NaN if one is NaN",
     .example = "max(x, 3) - max(x, axis = 0)",
     .operation = Operation::reduction,
     .numbers = extreme<1>,
     .result = least_or_greatest,
     .device = "Max",
     .part = "reduce",
     .traits = Trait::of_elements | Trait::plain | Trait::one_type},
    {.name = "clamp",
     .signatures = "T clamp(T x, T low, T high)",
     .help = "x, but at least `low` and at most `high`",
     .example = "clamp(x, 2, 5)",
     .numbers = clamp,
     .traits = Trait::of_elements | Trait::one_type},
    {.name = "relu",
     .signatures = "T relu(T x)",
     .help = "x where it is above 0, else 0; NaN stays. Around a matmul() it is a part of the library's call",
     .example = "relu(x - 3)",
     .numbers = relu,
     .traits = Trait::of_elements | Trait::one_type},
    {.name = "ceil_div",
     .signatures = "T ceil_div(T a, T b)",
     .help = "a / b rounded up: how many pieces of b cover a",
     .example = "ceil_div(1000, 256)",
     .numbers = ceil_div,
     .program = "ceil_div",
     .part = "launch",
     .traits = static_cast<std::uint8_t>(Trait::of_elements)},
    {.name = "gcd",
     .signatures = "T gcd(T a, T b)",
     .help = "The greatest common divisor of two integers",
     .example = "gcd(12, 18)",
     .numbers = greatest_common_divisor,
     .program = "math::gcd",
     .part = "wide",
     .traits = static_cast<std::uint8_t>(Trait::of_elements)},
    {.name = "lcm",
     .signatures = "T lcm(T a, T b)",
     .help = "The least common multiple of two integers",
     .numbers = least_common_multiple},
    {.name = "lround",
     .signatures = "long lround(T x)",
     .numbers = [](Arguments a, const Where&) { return rounded<long>(std::round(a[0].as_real())); },
     .traits = kMath},
    {.name = "llround",
     .signatures = "long long llround(T x)",
     .numbers = [](Arguments a, const Where&) { return rounded<long long>(std::round(a[0].as_real())); }},
    {.name = "lrint",
     .signatures = "long lrint(T x)",
     .numbers = [](Arguments a, const Where&) { return rounded<long>(std::rint(a[0].as_real())); },
     .traits = kMath},
    {.name = "llrint",
     .signatures = "long long llrint(T x)",
     .numbers = [](Arguments a, const Where&) { return rounded<long long>(std::rint(a[0].as_real())); }},
    {.name = "real",
     .signatures = "T real(T z)",
     .help = "The real part of a complex number",
     .numbers = [](Arguments a,
                   const Where&) { return is_complex(a[0].kind()) ? part_of(a[0], a[0].as_real()) : a[0]; },
     .traits = Trait::of_elements | Trait::complex},
    {.name = "imag",
     .signatures = "T imag(T z)",
     .help = "The imaginary part of a complex number",
     .numbers =
         [](Arguments a, const Where&) {
           return is_complex(a[0].kind()) ? part_of(a[0], a[0].imaginary()) : convert(ScalarValue::of(0), a[0].kind());
         },
     .traits = Trait::of_elements | Trait::complex},
    {.name = "conj",
     .signatures = "T conj(T z)",
     .help = "The conjugate of a complex number",
     .numbers =
         [](Arguments a, const Where&) {
           return is_complex(a[0].kind()) ? ScalarValue::complex(a[0].kind(), a[0].as_real(), -a[0].imaginary()) : a[0];
         },
     .traits = Trait::of_elements | Trait::complex},
    {.name = "arg",
     .signatures = "T arg(T z)",
     .help = "The angle of a complex number, in radians",
     .numbers =
         [](Arguments a, const Where&) {
           const double imaginary = is_complex(a[0].kind()) ? a[0].imaginary() : 0;
           return part_of(a[0], std::atan2(imaginary, a[0].as_real()));
         },
     .traits = Trait::of_elements | Trait::complex},
};

#undef REAL1
#undef OWN1
#undef REAL2
#undef TEST1

}  // namespace

std::span<const Function> functions_of_numbers() { return kNumberFunctions; }

}  // namespace xcuda::language
