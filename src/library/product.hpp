// A matmul as BLAS takes it: matrices with one leading dimension each, in batches of one distance. This is the one
// place that says what a matrix must be like, for preparing operands and for calling the libraries.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "library/call.hpp"

namespace xcuda::library {

enum class Order : std::uint8_t { row, column };  // rows, or columns, lie one after the other

struct Layout {
  Order order = Order::row;
  std::int64_t leading = 1;  // elements from a row, or column, to the next
};
// The layout of the last two dimensions; nothing where neither has the stride 1, or lines overlap.
std::optional<Layout> layout_of(const Operand& operand);
bool can_be_either(const Operand& operand);  // a single row or column without gaps

// Operands of Operation::matmul, by their position in Call::operands.
enum Role : std::uint8_t { kResult, kLeft, kRight, kAddend, kBias };

struct Product {
  Scalar type = Scalar::none, result_type = Scalar::none;
  std::uint64_t m = 0, n = 0, k = 0;
  std::array<Layout, 4> layout;                     // by role; the addend's order is the result's
  std::uint64_t batch = 1;                          // products at one distance
  std::array<std::int64_t, 4> distance{};           // elements from a batch's matrix to the next, by role
  std::vector<std::array<std::int64_t, 4>> starts;  // offsets of the batches in elements, by role
  bool has_addend = false, has_bias = false;
};

// Error(value) where an operand's shape or strides do not fit; the session makes copies that do.
Product product_of(const Call& call);

double operations_of(const Product& product);  // floating-point: 2 m n k for real numbers, 8 m n k for complex ones

}  // namespace xcuda::library
