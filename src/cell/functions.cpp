// The scalar functions of statements, and constants of <cmath>, <climits> and <cfloat>.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "cell/evaluate.hpp"

namespace xcuda::cell {
namespace {

using Arguments = std::span<const Value>;

struct Function {
  std::size_t count;  // of arguments
  Value (*apply)(Arguments, const Where&);
};

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
template <class Float, class Double> Value real1(Arguments a, Float in_float, Double in_double) {
  const auto kind = real_kind(a);
  const auto x = a[0].as_real();
  return Value::real(kind, kind == Kind::float64 ? in_double(x) : static_cast<double>(in_float(static_cast<float>(x))));
}
template <class Float, class Double> Value real2(Arguments a, Float in_float, Double in_double) {
  const auto kind = real_kind(a);
  const auto x = a[0].as_real(), y = a[1].as_real();
  return Value::real(kind, kind == Kind::float64
                               ? in_double(x, y)
                               : static_cast<double>(in_float(static_cast<float>(x), static_cast<float>(y))));
}

Value to_float(const Value& value) { return convert(value, Kind::float32); }

double rsqrt(double x) { return 1 / std::sqrt(x); }
double rcbrt(double x) { return 1 / std::cbrt(x); }
double exp10(double x) { return std::pow(10.0, x); }
double sinpi(double x) { return std::sin(std::numbers::pi * std::fmod(x, 2.0)); }
double cospi(double x) { return std::cos(std::numbers::pi * std::fmod(x, 2.0)); }
double normcdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

Value absolute(Arguments a, const Where&) {
  const auto kind = promoted(a[0].kind());
  if (is_complex(kind))
    return Value::real(kind == Kind::complex64 ? Kind::float32 : Kind::float64,
                       std::hypot(a[0].as_real(), a[0].imaginary()));
  if (!is_integer(kind)) return Value::real(kind, std::fabs(a[0].as_real()));
  return Value::integer(kind, a[0].is_negative() ? 0 - a[0].as_unsigned() : a[0].as_unsigned());
}

template <int Sign>  // 1: max, -1: min
Value extreme(Arguments a, const Where& where) {
  Kind kind = a[0].kind();
  for (const auto& argument : a.subspan(1))
    if (argument.kind() != kind) kind = common_kind(kind, argument.kind());
  auto best = convert(a[0], kind);
  for (const auto& argument : a.subspan(1)) {
    const auto next = convert(argument, kind);
    if (binary("<", Sign > 0 ? best : next, Sign > 0 ? next : best, where).truth()) best = next;
  }
  return best;
}

Value clamp(Arguments a, const Where& where) {
  const Value low[] = {a[0], a[1]};
  const Value high[] = {extreme<1>(low, where), a[2]};
  return extreme<-1>(high, where);
}

Value ceil_div(Arguments a, const Where& where) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) return Value::real(kind, std::ceil(a[0].as_real() / a[1].as_real()));
  const auto x = convert(a[0], kind), y = convert(a[1], kind);
  const auto quotient = binary("/", x, y, where), rest = binary("%", x, y, where);
  const bool up = rest.truth() && rest.is_negative() == y.is_negative();
  return up ? binary("+", quotient, convert(Value::of(1), kind), where) : quotient;
}

template <class Integer> Value rounded(double value) { return convert(Value::of(value), kind_for<Integer>()); }

Value power(Arguments a, const Where&) {
  return real2(
      a, [](float x, float y) { return std::pow(x, y); }, [](double x, double y) { return std::pow(x, y); });
}

Value greatest_common_divisor(Arguments a, const Where& where) {
  const auto kind = common_kind(a[0].kind(), a[1].kind());
  if (!is_integer(kind)) throw wrong(where, "gcd() takes integers");
  auto x = absolute(a.first(1), where).as_unsigned(), y = absolute(a.subspan(1, 1), where).as_unsigned();
  while (y != 0) x = std::exchange(y, x % y);
  return Value::integer(kind, x);
}

#define REAL1(name)                                                                                         \
  {#name,                                                                                                   \
   {1,                                                                                                      \
    [](Arguments a, const Where&) {                                                                         \
      return real1(                                                                                         \
          a, [](float x) { return std::name(x); }, [](double x) { return std::name(x); });                  \
    }}},                                                                                                    \
  {                                                                                                         \
#name "f", {                                                                                            \
      1, [](Arguments a, const Where&) { return Value::of(std::name(static_cast<float>(a[0].as_real()))); } \
    }                                                                                                       \
  }
#define OWN1(name)                                                                                   \
  {#name,                                                                                            \
   {1,                                                                                               \
    [](Arguments a, const Where&) {                                                                  \
      return real1(                                                                                  \
          a, [](float x) { return static_cast<float>(name(x)); }, [](double x) { return name(x); }); \
    }}},                                                                                             \
  {                                                                                                  \
#name "f", {                                                                                     \
      1, [](Arguments a, const Where&) {                                                             \
        return Value::of(static_cast<float>(name(static_cast<float>(a[0].as_real()))));              \
      }                                                                                              \
    }                                                                                                \
  }
#define REAL2(name)                                                                                                 \
  {#name,                                                                                                           \
   {2,                                                                                                              \
    [](Arguments a, const Where&) {                                                                                 \
      return real2(                                                                                                 \
          a, [](float x, float y) { return std::name(x, y); }, [](double x, double y) { return std::name(x, y); }); \
    }}},                                                                                                            \
  {                                                                                                                 \
#name "f", {                                                                                                    \
      2, [](Arguments a, const Where&) {                                                                            \
        return Value::of(std::name(static_cast<float>(a[0].as_real()), static_cast<float>(a[1].as_real())));        \
      }                                                                                                             \
    }                                                                                                               \
  }
#define TEST1(name)                                                                     \
  {                                                                                     \
#name, {                                                                            \
      1, [](Arguments a, const Where&) { return Value::of(std::name(a[0].as_real())); } \
    }                                                                                   \
  }

const std::unordered_map<std::string_view, Function>& functions() {
  static const std::unordered_map<std::string_view, Function> table = {
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
      OWN1(rsqrt),
      OWN1(rcbrt),
      OWN1(exp10),
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
      TEST1(isnormal),
      {"pow", {2, power}},
      {"powf",
       {2,
        [](Arguments a, const Where& where) {
          const Value b[] = {to_float(a[0]), to_float(a[1])};
          return power(b, where);
        }}},
      {"fma",
       {3,
        [](Arguments a, const Where&) {
          const auto kind = real_kind(a);
          const auto x = a[0].as_real(), y = a[1].as_real(), z = a[2].as_real();
          return Value::real(kind, kind == Kind::float64
                                       ? std::fma(x, y, z)
                                       : static_cast<double>(std::fma(static_cast<float>(x), static_cast<float>(y),
                                                                      static_cast<float>(z))));
        }}},
      {"fmaf",
       {3,
        [](Arguments a, const Where&) {
          return Value::of(std::fma(static_cast<float>(a[0].as_real()), static_cast<float>(a[1].as_real()),
                                    static_cast<float>(a[2].as_real())));
        }}},
      {"ldexp",
       {2,
        [](Arguments a, const Where&) {
          return Value::real(
              real_kind(a.first(1)),
              std::ldexp(a[0].as_real(), static_cast<int>(std::clamp<std::int64_t>(a[1].as_signed(), -5000, 5000))));
        }}},
      {"abs", {1, absolute}},
      {"labs",
       {1,
        [](Arguments a, const Where& where) {
          const Value b[] = {convert(a[0], Kind::long64)};
          return absolute(b, where);
        }}},
      {"llabs",
       {1,
        [](Arguments a, const Where& where) {
          const Value b[] = {convert(a[0], Kind::llong64)};
          return absolute(b, where);
        }}},
      {"min", {2, extreme<-1>}},
      {"max", {2, extreme<1>}},
      {"clamp", {3, clamp}},
      {"ceil_div", {2, ceil_div}},
      {"gcd", {2, greatest_common_divisor}},
      {"lround", {1, [](Arguments a, const Where&) { return rounded<long>(std::round(a[0].as_real())); }}},
      {"llround", {1, [](Arguments a, const Where&) { return rounded<long long>(std::round(a[0].as_real())); }}},
      {"lrint", {1, [](Arguments a, const Where&) { return rounded<long>(std::rint(a[0].as_real())); }}},
      {"llrint", {1, [](Arguments a, const Where&) { return rounded<long long>(std::rint(a[0].as_real())); }}},
      {"real",
       {1,
        [](Arguments a, const Where&) {
          return Value::real(
              a[0].kind() == Kind::complex64 || a[0].kind() == Kind::float32 ? Kind::float32 : Kind::float64,
              a[0].as_real());
        }}},
      {"imag",
       {1,
        [](Arguments a, const Where&) {
          return Value::real(
              a[0].kind() == Kind::complex64 || a[0].kind() == Kind::float32 ? Kind::float32 : Kind::float64,
              is_complex(a[0].kind()) ? a[0].imaginary() : 0);
        }}},
  };
  return table;
}

std::string_view unqualified(std::string_view name) {
  for (const std::string_view scope : {"::", "cuda::", "std::"})
    if (name.starts_with(scope)) name.remove_prefix(scope.size());
  return name.substr(0, name.find('<'));  // max<float>(a, b)
}

}  // namespace

bool is_scalar_function(std::string_view name) { return functions().contains(unqualified(name)); }

Value call_scalar_function(std::string_view name, std::span<const Value> arguments, const Where& where) {
  const auto found = functions().find(unqualified(name));
  if (found == functions().end())
    throw Error(ErrorKind::name, fmt::format("unknown function '{}'", name)).at(where.get());
  const auto& function = found->second;
  if (arguments.size() != function.count)
    throw Error(ErrorKind::type, fmt::format("{}() takes {} argument{}, not {}", name, function.count,
                                             function.count == 1 ? "" : "s", arguments.size()))
        .at(where.get());
  const auto angle = name.find('<');
  static constexpr std::string_view kExact[] = {"abs", "real", "imag"};
  for (const auto& argument : arguments)
    if (is_complex(argument.kind()) &&
        std::find(std::begin(kExact), std::end(kExact), found->first) == std::end(kExact))
      throw Error(ErrorKind::type, fmt::format("{}() is not defined for {} in a statement", name, argument.type().name))
          .at(where.get());
  if (angle == std::string_view::npos || !name.ends_with('>')) return function.apply(arguments, where);
  const auto spelling = name.substr(angle + 1, name.size() - angle - 2);
  const auto type = find_type(spelling);
  const auto kind = type ? kind_of(*type) : std::nullopt;
  if (!kind) throw Error(ErrorKind::type, fmt::format("{} is not the type of a number", spelling)).at(where.get());
  std::vector<Value> converted;
  for (const auto& argument : arguments) converted.push_back(convert(argument, *kind));
  return convert(function.apply(converted, where), *kind);
}

namespace {

template <class T> std::optional<Value> limit_of(std::string_view what) {
  using Limits = std::numeric_limits<T>;
  if (what == "max") return Value::of(Limits::max());
  if (what == "min") return Value::of(Limits::min());
  if (what == "lowest") return Value::of(Limits::lowest());
  if (what == "epsilon") return Value::of(Limits::epsilon());
  if (what == "infinity") return Value::of(Limits::infinity());
  if (what == "quiet_NaN") return Value::of(Limits::quiet_NaN());
  return std::nullopt;
}

}  // namespace

std::optional<Value> numeric_limit(std::string_view name) {
  constexpr std::string_view kClass = "numeric_limits<";
  for (const std::string_view scope : {"::", "cuda::", "std::"})
    if (name.starts_with(scope)) name.remove_prefix(scope.size());
  const auto close = name.find(">::");
  if (!name.starts_with(kClass) || close == std::string_view::npos) return std::nullopt;
  const auto what = name.substr(close + 3);
  const auto type = find_type(name.substr(kClass.size(), close - kClass.size()));
  const auto kind = type ? kind_of(*type) : std::nullopt;
  if (!kind) return std::nullopt;
  switch (*kind) {
    case Kind::boolean: return limit_of<bool>(what);
    case Kind::char8: return limit_of<char>(what);
    case Kind::int8: return limit_of<signed char>(what);
    case Kind::uint8: return limit_of<unsigned char>(what);
    case Kind::int16: return limit_of<short>(what);
    case Kind::uint16: return limit_of<unsigned short>(what);
    case Kind::int32: return limit_of<int>(what);
    case Kind::uint32: return limit_of<unsigned>(what);
    case Kind::long64: return limit_of<long>(what);
    case Kind::ulong64: return limit_of<unsigned long>(what);
    case Kind::llong64: return limit_of<long long>(what);
    case Kind::ullong64: return limit_of<unsigned long long>(what);
    case Kind::float32: return limit_of<float>(what);
    case Kind::float64: return limit_of<double>(what);
    default: return std::nullopt;
  }
}

std::vector<std::string> scalar_functions() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Value> known_constant(std::string_view name) {
  static const std::unordered_map<std::string_view, Value> table = {
      {"M_PI", Value::of(std::numbers::pi)},
      {"M_PI_2", Value::of(std::numbers::pi / 2)},
      {"M_PI_4", Value::of(std::numbers::pi / 4)},
      {"M_1_PI", Value::of(std::numbers::inv_pi)},
      {"M_2_PI", Value::of(2 * std::numbers::inv_pi)},
      {"M_E", Value::of(std::numbers::e)},
      {"M_LOG2E", Value::of(std::numbers::log2e)},
      {"M_LOG10E", Value::of(std::numbers::log10e)},
      {"M_LN2", Value::of(std::numbers::ln2)},
      {"M_LN10", Value::of(std::numbers::ln10)},
      {"M_SQRT2", Value::of(std::numbers::sqrt2)},
      {"M_SQRT1_2", Value::of(std::numbers::sqrt2 / 2)},
      {"std::numbers::pi", Value::of(std::numbers::pi)},
      {"std::numbers::e", Value::of(std::numbers::e)},
      {"INFINITY", Value::of(std::numeric_limits<float>::infinity())},
      {"NAN", Value::of(std::numeric_limits<float>::quiet_NaN())},
      {"FLT_MAX", Value::of(FLT_MAX)},
      {"FLT_MIN", Value::of(FLT_MIN)},
      {"FLT_EPSILON", Value::of(FLT_EPSILON)},
      {"DBL_MAX", Value::of(DBL_MAX)},
      {"DBL_MIN", Value::of(DBL_MIN)},
      {"DBL_EPSILON", Value::of(DBL_EPSILON)},
      {"CHAR_BIT", Value::of(CHAR_BIT)},
      {"SCHAR_MAX", Value::of(SCHAR_MAX)},
      {"SCHAR_MIN", Value::of(SCHAR_MIN)},
      {"UCHAR_MAX", Value::of(UCHAR_MAX)},
      {"SHRT_MAX", Value::of(SHRT_MAX)},
      {"SHRT_MIN", Value::of(SHRT_MIN)},
      {"USHRT_MAX", Value::of(USHRT_MAX)},
      {"INT_MAX", Value::of(INT_MAX)},
      {"INT_MIN", Value::of(INT_MIN)},
      {"UINT_MAX", Value::of(UINT_MAX)},
      {"LONG_MAX", Value::of(LONG_MAX)},
      {"LONG_MIN", Value::of(LONG_MIN)},
      {"ULONG_MAX", Value::of(ULONG_MAX)},
      {"LLONG_MAX", Value::of(LLONG_MAX)},
      {"LLONG_MIN", Value::of(LLONG_MIN)},
      {"ULLONG_MAX", Value::of(ULLONG_MAX)},
      {"INT8_MAX", Value::of(INT8_MAX)},
      {"INT8_MIN", Value::of(INT8_MIN)},
      {"UINT8_MAX", Value::of(UINT8_MAX)},
      {"INT16_MAX", Value::of(INT16_MAX)},
      {"INT16_MIN", Value::of(INT16_MIN)},
      {"UINT16_MAX", Value::of(UINT16_MAX)},
      {"INT32_MAX", Value::of(INT32_MAX)},
      {"INT32_MIN", Value::of(INT32_MIN)},
      {"UINT32_MAX", Value::of(UINT32_MAX)},
      {"INT64_MAX", Value::of(INT64_MAX)},
      {"INT64_MIN", Value::of(INT64_MIN)},
      {"UINT64_MAX", Value::of(UINT64_MAX)},
      {"SIZE_MAX", Value::of(SIZE_MAX)},
      {"warpSize", Value::of(32)},
  };
  const auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace xcuda::cell
