// What the products of matrices consist of, as loops over plain arrays, which are vector code of the processor.
#pragma once

#include <cstdint>

#include "device/cpu/run/matrix_layout.hpp"

namespace xcuda::device::cpu {

constexpr std::uint32_t kMostElements = 16 * 256;  // of a matrix

// Elements are in a row of words, row by row, their bits the lowest ones of the word.
void elements_from_registers(const MatrixLayout& layout, const std::uint32_t* registers, std::uint32_t* elements);
void registers_from_elements(const MatrixLayout& layout, const std::uint32_t* elements, std::uint32_t* registers);

// f16, bf16, tf32 and f32; others are whole numbers.
void numbers_from_bits(ptx::Type type, const std::uint32_t* bits, double* numbers, std::uint32_t count);
void numbers_from_bits(ptx::Type type, const std::uint32_t* bits, std::int32_t* numbers, std::uint32_t count);
// f16 and f32, rounded to nearest even. What is not a number has all bits but the sign, as a GPU's tensor cores make
// it.
void bits_from_numbers(ptx::Type type, const double* numbers, std::uint32_t* bits, std::uint32_t count);

// c + a * b, of rows row by row; b has k rows. To each sum the products are added one after the other, in the order of
// k. Rows and columns are multiples of 8.
struct ProductShape {
  std::uint32_t rows, columns, k;
};
void add_products(const ProductShape& shape, const double* a, const double* b, double* c);
void add_products(const ProductShape& shape, const std::int32_t* a, const std::int32_t* b, std::int32_t* c);
// Counts bits in which they differ.
void add_differences(const ProductShape& shape, const std::int32_t* a, const std::int32_t* b, std::int32_t* c);

}  // namespace xcuda::device::cpu
