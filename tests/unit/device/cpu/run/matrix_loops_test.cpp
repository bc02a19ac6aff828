// The loops of products of matrices, beside functions for one number at a time.
#include "device/cpu/run/matrix_loops.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "base/half.hpp"

namespace xcuda::device::cpu {
namespace {

TEST(MatrixLoops, ReadEveryHalf) {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t half = 0; half < 0x10000; ++half) bits.push_back(half);
  std::vector<double> numbers(bits.size());
  numbers_from_bits(ptx::Type::f16, bits.data(), numbers.data(), static_cast<std::uint32_t>(bits.size()));
  for (const std::uint32_t half : bits) {
    const double expected = half_to_float(static_cast<std::uint16_t>(half));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(numbers[half])) << half;
    else
      EXPECT_EQ(std::bit_cast<std::uint64_t>(numbers[half]), std::bit_cast<std::uint64_t>(expected)) << half;
  }
}

// At every half, half way to the next one, and on either side of both.
TEST(MatrixLoops, RoundToHalves) {
  std::vector<double> numbers;
  const auto add = [&](double number) {
    for (const double each : {number, std::nextafter(number, 1e9), std::nextafter(number, -1e9)})
      numbers.insert(numbers.end(), {each, -each});
  };
  for (std::uint16_t half = 0; half < 0x7c00; ++half) {
    const double here = half_to_float(half), next = half + 1 == 0x7c00 ? 65536 : half_to_float(half + 1);
    add(here);
    add((here + next) / 2);
  }
  for (const double odd : {65535.0, 65536.0, 65537.0, 1e6, 1e300, 1e-300, 5e-324, 1e-9, HUGE_VAL}) add(odd);
  std::vector<std::uint32_t> bits(numbers.size());
  bits_from_numbers(ptx::Type::f16, numbers.data(), bits.data(), static_cast<std::uint32_t>(bits.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(bits[i], double_to_half(numbers[i])) << numbers[i];
  const double none[] = {NAN, -NAN};
  bits_from_numbers(ptx::Type::f16, none, bits.data(), 2);
  EXPECT_EQ(bits[0], 0x7fffu);
  EXPECT_EQ(bits[1], 0x7fffu);
}

// In this order: with another one the sums would be others.
TEST(MatrixLoops, AddProductsInTheOrderOfK) {
  std::mt19937 random(1);
  const ProductShape shape{16, 8, 32};
  const auto drawn = [&](std::uint32_t count) {
    std::vector<double> all(count);
    for (double& each : all) each = half_to_float(static_cast<std::uint16_t>(random() % 0x7c00 | (random() & 0x8000)));
    return all;
  };
  const auto a = drawn(shape.rows * shape.k), b = drawn(shape.k * shape.columns);
  auto c = drawn(shape.rows * shape.columns), expected = c;
  add_products(shape, a.data(), b.data(), c.data());
  for (std::uint32_t i = 0; i < shape.rows; ++i)
    for (std::uint32_t j = 0; j < shape.columns; ++j)
      for (std::uint32_t k = 0; k < shape.k; ++k)
        expected[i * shape.columns + j] += a[i * shape.k + k] * b[k * shape.columns + j];
  EXPECT_EQ(c, expected);
}

TEST(MatrixLayout, GivesBackWhatItTook) {
  for (const auto& shape : {FragmentShape{MatrixAction::multiply_wmma, MatrixPart::a, ptx::Type::f16, 8, 16, 16},
                            FragmentShape{MatrixAction::multiply_wmma, MatrixPart::b, ptx::Type::u8, 4, 16, 32},
                            FragmentShape{MatrixAction::multiply_mma, MatrixPart::b, ptx::Type::s4, 2, 64, 8},
                            FragmentShape{MatrixAction::multiply_mma, MatrixPart::a, ptx::Type::b1, 4, 16, 256},
                            FragmentShape{MatrixAction::multiply_mma, MatrixPart::c, ptx::Type::f16, 2, 16, 8},
                            FragmentShape{MatrixAction::multiply_mma, MatrixPart::c, ptx::Type::s32, 4, 16, 8}}) {
    const MatrixLayout& layout = layout_of(shape);
    std::vector<std::uint32_t> elements(layout.size()), back(layout.size()), registers(64 * shape.registers);
    const std::uint32_t mask = ~0u >> (32 - ptx::bits_of(shape.type));
    for (std::uint32_t i = 0; i < elements.size(); ++i) elements[i] = i * 2654435761u & mask;
    registers_from_elements(layout, elements.data(), registers.data());
    elements_from_registers(layout, registers.data(), back.data());
    EXPECT_EQ(back, elements);
    EXPECT_EQ(&layout, &layout_of(shape));
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
