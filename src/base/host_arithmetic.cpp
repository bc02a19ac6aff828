#include "base/host_arithmetic.hpp"

#include <fmt/format.h>
#include <math.h>

#include <cmath>
#include <numbers>
#include <type_traits>

namespace xcuda {

double rsqrt(double x) { return 1 / std::sqrt(x); }
double rcbrt(double x) { return 1 / std::cbrt(x); }
double sinpi(double x) { return std::sin(std::numbers::pi * std::fmod(x, 2.0)); }
double cospi(double x) { return std::cos(std::numbers::pi * std::fmod(x, 2.0)); }
double normcdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

namespace {

float rsqrtf(float x) { return static_cast<float>(rsqrt(x)); }
float rcbrtf(float x) { return static_cast<float>(rcbrt(x)); }
float sinpif(float x) { return static_cast<float>(sinpi(x)); }
float cospif(float x) { return static_cast<float>(cospi(x)); }
float normcdff(float x) { return static_cast<float>(normcdf(x)); }

template <class T> constexpr Number kNumber = Number::none;
template <> constexpr Number kNumber<int> = Number::int32;
template <> constexpr Number kNumber<long long> = Number::int64;
template <> constexpr Number kNumber<float> = Number::float32;
template <> constexpr Number kNumber<double> = Number::float64;

struct Names {
  std::string_view name, symbol;
};

template <class Result, class First> HostFunction row(const Names& names, Result (*function)(First)) {
  return {names.name,
          names.symbol,
          kNumber<Result>,
          {kNumber<First>, Number::none},
          reinterpret_cast<const void*>(function)};
}
template <class Result, class First, class Second>
HostFunction row(const Names& names, Result (*function)(First, Second)) {
  return {names.name,
          names.symbol,
          kNumber<Result>,
          {kNumber<First>, kNumber<Second>},
          reinterpret_cast<const void*>(function)};
}

// One for double and one for float. Functions whose result is exact, and that processors have (sqrt, fabs, floor, ceil,
// trunc, rint, copysign, fma), stay instructions, which loops of vectors can use.
#define XCUDA_NAMES(name_) \
  { #name_, "xcuda_host_" #name_ }
#define XCUDA_REAL1(name_)                                          \
  row(XCUDA_NAMES(name_), static_cast<double (*)(double)>(&name_)), \
      row(XCUDA_NAMES(name_##f), static_cast<float (*)(float)>(&name_##f))
#define XCUDA_REAL2(name_)                                                  \
  row(XCUDA_NAMES(name_), static_cast<double (*)(double, double)>(&name_)), \
      row(XCUDA_NAMES(name_##f), static_cast<float (*)(float, float)>(&name_##f))
#define XCUDA_TO(type_, name_)                                     \
  row(XCUDA_NAMES(name_), static_cast<type_ (*)(double)>(&name_)), \
      row(XCUDA_NAMES(name_##f), static_cast<type_ (*)(float)>(&name_##f))
#define XCUDA_SCALED(name_)                                              \
  row(XCUDA_NAMES(name_), static_cast<double (*)(double, int)>(&name_)), \
      row(XCUDA_NAMES(name_##f), static_cast<float (*)(float, int)>(&name_##f))
#define XCUDA_ORDER(name_)                                               \
  row(XCUDA_NAMES(name_), static_cast<double (*)(int, double)>(&name_)), \
      row(XCUDA_NAMES(name_##f), static_cast<float (*)(int, float)>(&name_##f))

const HostFunction kFunctions[] = {
    XCUDA_REAL1(acos),
    XCUDA_REAL1(acosh),
    XCUDA_REAL1(asin),
    XCUDA_REAL1(asinh),
    XCUDA_REAL1(atan),
    XCUDA_REAL1(atanh),
    XCUDA_REAL1(cbrt),
    XCUDA_REAL1(cos),
    XCUDA_REAL1(cosh),
    XCUDA_REAL1(cospi),
    XCUDA_REAL1(erf),
    XCUDA_REAL1(erfc),
    XCUDA_REAL1(exp),
    XCUDA_REAL1(exp10),
    XCUDA_REAL1(exp2),
    XCUDA_REAL1(expm1),
    XCUDA_REAL1(j0),
    XCUDA_REAL1(j1),
    XCUDA_REAL1(lgamma),
    XCUDA_REAL1(log),
    XCUDA_REAL1(log10),
    XCUDA_REAL1(log1p),
    XCUDA_REAL1(log2),
    XCUDA_REAL1(logb),
    XCUDA_REAL1(normcdf),
    XCUDA_REAL1(rcbrt),
    XCUDA_REAL1(rsqrt),
    XCUDA_REAL1(sin),
    XCUDA_REAL1(sinh),
    XCUDA_REAL1(sinpi),
    XCUDA_REAL1(tan),
    XCUDA_REAL1(tanh),
    XCUDA_REAL1(tgamma),
    XCUDA_REAL1(y0),
    XCUDA_REAL1(y1),
    XCUDA_REAL2(atan2),
    XCUDA_REAL2(fdim),
    XCUDA_REAL2(fmax),
    XCUDA_REAL2(fmin),
    XCUDA_REAL2(fmod),
    XCUDA_REAL2(hypot),
    XCUDA_REAL2(nextafter),
    XCUDA_REAL2(pow),
    XCUDA_REAL2(remainder),
    XCUDA_TO(int, ilogb),
    XCUDA_TO(long long, llrint),
    XCUDA_TO(long long, llround),
    XCUDA_SCALED(ldexp),
    XCUDA_SCALED(scalbn),
    XCUDA_ORDER(jn),
    XCUDA_ORDER(yn),
};

}  // namespace

std::span<const HostFunction> host_functions() { return kFunctions; }

std::string wrong_shift_text(std::string_view type, std::string_view count, int bits) {
  return fmt::format("shifting {} by {}: the count must be 0 to {}", type, count, bits - 1);
}

}  // namespace xcuda
