#include "session/convert.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace xcuda::session {
namespace {

template <class T> void put(T value, std::span<std::byte> bytes) { std::memcpy(bytes.data(), &value, sizeof value); }

// IEEE binary16 of a double, rounded once, to nearest even.
std::uint16_t half_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (size >= 65520.0) return sign | 0x7c00;
  if (size < 0x1p-14)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24)));
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);                                     // [0.5, 1)
  const auto significand = static_cast<std::uint32_t>(std::nearbyint(fraction * 0x1p11));  // 1024 .. 2048
  const std::uint32_t bits = (static_cast<std::uint32_t>(exponent - 1 + 15) << 10) + (significand - 1024);
  return static_cast<std::uint16_t>(sign | bits);
}

// bfloat16 of a double, rounded once, to nearest even.
std::uint16_t bfloat_bits(double value) {
  if (std::isnan(value)) return 0x7fc0;
  // A float rounded to odd keeps what the second rounding needs to know.
  float single = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(single);
  if (std::isinf(single)) return static_cast<std::uint16_t>(bits >> 16);
  const double back = single;
  if (back != value) {
    const bool rounded_up = std::abs(back) > std::abs(value);
    if (rounded_up) --bits;
    bits |= 1;
  }
  const std::uint32_t rounding = 0x7fff + ((bits >> 16) & 1);
  return static_cast<std::uint16_t>((bits + rounding) >> 16);
}

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int significand = bits & 1023;
  double value = 0;
  if (exponent == 31)
    value = significand == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = significand * 0x1p-24;
  else
    value = std::ldexp(1024 + significand, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class Value> void store_lane(Scalar scalar, Value value, std::span<std::byte> bytes) {
  switch (scalar) {
    case Scalar::boolean: put<std::uint8_t>(value != 0, bytes); break;
    case Scalar::int8: put(static_cast<std::int8_t>(value), bytes); break;
    case Scalar::int16: put(static_cast<std::int16_t>(value), bytes); break;
    case Scalar::int32: put(static_cast<std::int32_t>(value), bytes); break;
    case Scalar::int64: put(static_cast<std::int64_t>(value), bytes); break;
    case Scalar::uint8: put(static_cast<std::uint8_t>(value), bytes); break;
    case Scalar::uint16: put(static_cast<std::uint16_t>(value), bytes); break;
    case Scalar::uint32: put(static_cast<std::uint32_t>(value), bytes); break;
    case Scalar::uint64: put(static_cast<std::uint64_t>(value), bytes); break;
    case Scalar::float16: put(half_bits(static_cast<double>(value)), bytes); break;
    case Scalar::bfloat16: put(bfloat_bits(static_cast<double>(value)), bytes); break;
    case Scalar::float32:
    case Scalar::complex64: put(static_cast<float>(value), bytes); break;
    case Scalar::float64:
    case Scalar::complex128: put(static_cast<double>(value), bytes); break;
    case Scalar::none: break;
  }
}

template <class Value> void store(const Type& type, Value value, std::span<std::byte> bytes) {
  std::memset(bytes.data(), 0, bytes.size());
  const auto size = size_of(type.scalar);
  for (int lane = 0; lane < type.lanes; ++lane)
    store_lane(type.scalar, value, bytes.subspan(static_cast<std::size_t>(lane) * size));
}

template <class Wide> bool holds(Scalar scalar, Wide value) {
  const auto in = [&](auto example) {
    using T = decltype(example);
    return std::in_range<T>(value);
  };
  switch (scalar) {
    case Scalar::boolean: return value == 0 || value == 1;
    case Scalar::int8: return in(std::int8_t{});
    case Scalar::int16: return in(std::int16_t{});
    case Scalar::int32: return in(std::int32_t{});
    case Scalar::int64: return in(std::int64_t{});
    case Scalar::uint8: return in(std::uint8_t{});
    case Scalar::uint16: return in(std::uint16_t{});
    case Scalar::uint32: return in(std::uint32_t{});
    case Scalar::uint64: return in(std::uint64_t{});
    default: return true;
  }
}

}  // namespace

void store_real(const Type& type, double value, std::span<std::byte> bytes) { store(type, value, bytes); }
void store_integer(const Type& type, std::int64_t value, std::span<std::byte> bytes) { store(type, value, bytes); }
void store_unsigned(const Type& type, std::uint64_t value, std::span<std::byte> bytes) { store(type, value, bytes); }

std::array<double, 2> load_parts(const Type& type, std::span<const std::byte> bytes) {
  const auto part = type_of(type.scalar == Scalar::complex64 ? Scalar::float32 : Scalar::float64);
  return {load_real(part, bytes.first(part.size)), load_real(part, bytes.subspan(part.size, part.size))};
}

double load_real(const Type& type, std::span<const std::byte> bytes) {
  const auto take = [&](auto value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  };
  switch (type.scalar) {
    case Scalar::float16: return half_value(take(std::uint16_t{}));
    case Scalar::bfloat16: return std::bit_cast<float>(static_cast<std::uint32_t>(take(std::uint16_t{})) << 16);
    case Scalar::float32: return take(float{});
    case Scalar::float64: return take(double{});
    default: return 0;
  }
}

bool holds_integer(const Type& type, std::int64_t value) { return holds(type.scalar, value); }
bool holds_unsigned(const Type& type, std::uint64_t value) { return holds(type.scalar, value); }

}  // namespace xcuda::session
