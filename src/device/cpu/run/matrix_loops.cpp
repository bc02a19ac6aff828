#include "device/cpu/run/matrix_loops.hpp"

#include <bit>
#include <cstring>

#include "base/by_processor.hpp"

namespace xcuda::device::cpu {

namespace {

// All ones or zero, so that loops have no branches.
constexpr std::uint32_t mask_below(std::uint32_t a, std::uint32_t b) { return 0u - std::uint32_t{a < b}; }

// A half with a fraction as 32 bits has it: of subnormal numbers, 2^-24 times the fraction; of the others the exponent
// is 112 larger, of infinity and what is not a number twice that.
[[gnu::always_inline]] inline float number_of_half(std::uint32_t half) {
  const std::uint32_t rest = half & 0x7fff;
  const std::uint32_t normal = (rest << 13) + (112u << 23) + (mask_below(0x7bff, rest) & 112u << 23);
  const auto small = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(rest)) * 0x1p-24f);
  const auto is_small = mask_below(rest, 0x400);
  return std::bit_cast<float>((small & is_small) | (normal & ~is_small) | (half & 0x8000) << 16);
}

[[gnu::always_inline]] inline std::uint32_t bits_of_float(double number) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}
constexpr std::uint32_t is_nan(std::uint32_t bits) { return mask_below(0x7f80'0000, bits & 0x7fff'ffff); }

// To add and subtract a number whose last bit is the half's last bit rounds to that.
[[gnu::always_inline]] inline std::uint32_t half_of_number(double number) {
  const std::uint32_t single = bits_of_float(number);
  // The bits of positive numbers are in the order of the numbers.
  const std::int64_t size = std::bit_cast<std::int64_t>(number) & INT64_MAX;
  const auto infinite = std::bit_cast<std::int64_t>(65536.0), least = std::bit_cast<std::int64_t>(0x1p-14);
  const std::int64_t bounded = size < infinite ? size : infinite, normal = bounded > least ? bounded : least;
  const auto large = std::bit_cast<double>(((normal >> 52) + 42) << 52);
  const double rounded = (std::bit_cast<double>(bounded) + large) - large;
  const auto whole = std::bit_cast<std::int64_t>(rounded);
  const auto small = std::bit_cast<double>(whole < least ? whole : least);
  // That is subnormal, and counts 2^-24; one more is the least normal one.
  const auto fraction = static_cast<std::uint32_t>(static_cast<std::int32_t>(small * 0x1p24));
  const std::uint32_t shifted = (bits_of_float(rounded) - (112u << 23)) >> 13;
  const auto is_small = mask_below(bits_of_float(rounded), 113u << 23);
  const std::uint32_t none = is_nan(single);
  return (none & 0x7fff) | (~none & ((fraction & is_small) | (shifted & ~is_small) | (single >> 16 & 0x8000)));
}

template <class T> using Eight [[gnu::vector_size(8 * sizeof(T))]] = T;

// Into each function in whose processor's code it is to be. Four rows by eight columns at a time, so that the sums stay
// in registers.
template <class T, class Step>
[[gnu::always_inline]] inline void add_tiles(const ProductShape& shape, const T* a, const T* b, T* c,
                                             const Step& step) {
  constexpr std::uint32_t kRows = 4, kColumns = 8;
  for (std::uint32_t i = 0; i < shape.rows; i += kRows)
    for (std::uint32_t j = 0; j < shape.columns; j += kColumns) {
      const auto at = [&](std::uint32_t row) { return c + (i + row) * shape.columns + j; };
      Eight<T> sums[kRows], right;
      for (std::uint32_t r = 0; r < kRows; ++r) std::memcpy(&sums[r], at(r), sizeof right);
      for (std::uint32_t q = 0; q < shape.k; ++q) {
        std::memcpy(&right, b + q * shape.columns + j, sizeof right);
        for (std::uint32_t r = 0; r < kRows; ++r) step(sums[r], a[(i + r) * shape.k + q], right);
      }
      for (std::uint32_t r = 0; r < kRows; ++r) std::memcpy(at(r), &sums[r], sizeof right);
    }
}

}  // namespace

XCUDA_BY_PROCESSOR
void elements_from_registers(const MatrixLayout& layout, const std::uint32_t* __restrict registers,
                             std::uint32_t* __restrict elements) {
  const auto count = static_cast<std::uint32_t>(layout.size());
  const std::uint32_t mask = ~0u >> (32 - ptx::bits_of(layout.shape.type));
  const std::int32_t* __restrict word = layout.word.data();
  const std::uint32_t* __restrict shift = layout.shift.data();
  for (std::uint32_t i = 0; i < count; ++i) elements[i] = registers[word[i]] >> shift[i] & mask;
}

XCUDA_BY_PROCESSOR
void registers_from_elements(const MatrixLayout& layout, const std::uint32_t* __restrict elements,
                             std::uint32_t* __restrict registers) {
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(layout.shape.type));
  const std::int32_t* __restrict element = layout.element.data();
  for (std::uint32_t shift = 0; shift < 32; shift += bits)
    for (std::uint32_t reg = 0; reg < layout.shape.registers; ++reg, element += 32) {
      std::uint32_t* const lanes = registers + kBytesOfMatrixRegister / 4 * reg;
      if (shift == 0)
        for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane] = elements[element[lane]];
      else
        for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane] |= elements[element[lane]] << shift;
    }
}

XCUDA_BY_PROCESSOR
void numbers_from_bits(ptx::Type type, const std::uint32_t* __restrict bits, double* __restrict numbers,
                       std::uint32_t count) {
  switch (type) {
    case ptx::Type::f16:
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = number_of_half(bits[i]);
      return;
    case ptx::Type::bf16:
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = std::bit_cast<float>(bits[i] << 16);
      return;
    case ptx::Type::tf32:
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = std::bit_cast<float>(bits[i] & 0xffff'e000u);
      return;
    default:
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = std::bit_cast<float>(bits[i]);
  }
}

XCUDA_BY_PROCESSOR
void numbers_from_bits(ptx::Type type, const std::uint32_t* __restrict bits, std::int32_t* __restrict numbers,
                       std::uint32_t count) {
  const int above = 32 - ptx::bits_of(type);
  if (ptx::is_signed(type) || type == ptx::Type::s4)
    for (std::uint32_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int32_t>(bits[i] << above) >> above;
  else
    for (std::uint32_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int32_t>(bits[i]);
}

XCUDA_BY_PROCESSOR
void bits_from_numbers(ptx::Type type, const double* __restrict numbers, std::uint32_t* __restrict bits,
                       std::uint32_t count) {
  if (type == ptx::Type::f16)
    for (std::uint32_t i = 0; i < count; ++i) bits[i] = half_of_number(numbers[i]);
  else
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t rounded = bits_of_float(numbers[i]), none = is_nan(rounded);
      bits[i] = (none & 0x7fff'ffff) | (rounded & ~none);
    }
}

// Products of halves, bf16 and tf32 are exact, so it does not matter whether one is rounded before it is added.
XCUDA_BY_PROCESSOR
void add_products(const ProductShape& shape, const double* a, const double* b, double* c) {
  add_tiles(shape, a, b, c, [](Eight<double>& sum, double x, const Eight<double>& y) { sum += x * y; });
}

XCUDA_BY_PROCESSOR
void add_products(const ProductShape& shape, const std::int32_t* a, const std::int32_t* b, std::int32_t* c) {
  add_tiles(shape, a, b, c,
            [](Eight<std::int32_t>& sum, std::int32_t x, const Eight<std::int32_t>& y) { sum += x * y; });
}

XCUDA_BY_PROCESSOR
void add_differences(const ProductShape& shape, const std::int32_t* a, const std::int32_t* b, std::int32_t* c) {
  add_tiles(shape, a, b, c,
            [](Eight<std::int32_t>& sum, std::int32_t x, const Eight<std::int32_t>& y) { sum += x ^ y; });
}

}  // namespace xcuda::device::cpu
