#include "runtime/math/typed_elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/half.hpp"

namespace xcuda::runtime::math {
namespace {

template <class T> const T& element(const void* at, std::int64_t i) { return static_cast<const T*>(at)[i]; }
template <class T> T& element(void* at, std::int64_t i) { return static_cast<T*>(at)[i]; }

template <class T> T integer(double value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(
      std::clamp(std::nearbyint(value), static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
}

}  // namespace

std::size_t element_bytes(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8: return 1;
    case DataType::half:
    case DataType::bfloat16: return 2;
    case DataType::float32:
    case DataType::int32: return 4;
    case DataType::float64:
    case DataType::complex64: return 8;
    case DataType::complex128: return 16;
  }
  return 0;
}
bool is_complex(DataType type) { return type == DataType::complex64 || type == DataType::complex128; }
bool is_integer(DataType type) { return type == DataType::int8 || type == DataType::uint8 || type == DataType::int32; }

std::complex<double> load(DataType type, const void* at, std::int64_t i) {
  switch (type) {
    case DataType::float32: return element<float>(at, i);
    case DataType::float64: return element<double>(at, i);
    case DataType::half: return half_to_float(element<std::uint16_t>(at, i));
    case DataType::bfloat16: return bfloat16_to_float(element<std::uint16_t>(at, i));
    case DataType::int8: return element<std::int8_t>(at, i);
    case DataType::uint8: return element<std::uint8_t>(at, i);
    case DataType::int32: return element<std::int32_t>(at, i);
    case DataType::complex64: return std::complex<double>(element<std::complex<float>>(at, i));
    case DataType::complex128: return element<std::complex<double>>(at, i);
  }
  return 0;
}

void store(DataType type, void* at, std::int64_t i, std::complex<double> value) {
  const double real = value.real();
  switch (type) {
    case DataType::float32: element<float>(at, i) = static_cast<float>(real); break;
    case DataType::float64: element<double>(at, i) = real; break;
    case DataType::half: element<std::uint16_t>(at, i) = float_to_half(static_cast<float>(real)); break;
    case DataType::bfloat16: element<std::uint16_t>(at, i) = float_to_bfloat16(static_cast<float>(real)); break;
    case DataType::int8: element<std::int8_t>(at, i) = integer<std::int8_t>(real); break;
    case DataType::uint8: element<std::uint8_t>(at, i) = integer<std::uint8_t>(real); break;
    case DataType::int32: element<std::int32_t>(at, i) = integer<std::int32_t>(real); break;
    case DataType::complex64: element<std::complex<float>>(at, i) = std::complex<float>(value); break;
    case DataType::complex128: element<std::complex<double>>(at, i) = value; break;
  }
}

}  // namespace xcuda::runtime::math
