#include "arrays/convert.hpp"

#include <cstring>
#include <utility>

#include "base/half.hpp"

namespace xcuda::arrays {
namespace {

template <class T> void put(T value, std::span<std::byte> bytes) { std::memcpy(bytes.data(), &value, sizeof value); }

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
    case Scalar::float16: put(double_to_half(static_cast<double>(value)), bytes); break;
    case Scalar::bfloat16: put(double_to_bfloat16(static_cast<double>(value)), bytes); break;
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
    case Scalar::float16: return half_to_float(take(std::uint16_t{}));
    case Scalar::bfloat16: return bfloat16_to_float(take(std::uint16_t{}));
    case Scalar::float32: return take(float{});
    case Scalar::float64: return take(double{});
    default: return 0;
  }
}

bool holds_integer(const Type& type, std::int64_t value) { return holds(type.scalar, value); }
bool holds_unsigned(const Type& type, std::uint64_t value) { return holds(type.scalar, value); }

}  // namespace xcuda::arrays
