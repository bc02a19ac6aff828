// The operators of expressions, one row each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace xcuda::cell {

enum class UnaryOperator : std::uint8_t {
  plus,
  minus,
  logical_not,
  bit_not,
  address,
  pointee,
  increment,
  decrement,
  increment_after,
  decrement_after,
};

struct UnaryRow {
  std::string_view text;
  enum class Place : std::uint8_t { before, after } place = Place::before;  // of its operand
};

constexpr std::array<UnaryRow, 10> kUnaryOperators = {{
    {"+"},
    {"-"},
    {"!"},
    {"~"},
    {"&"},
    {"*"},
    {"++"},
    {"--"},
    {"++", UnaryRow::Place::after},
    {"--", UnaryRow::Place::after},
}};

enum class BinaryOperator : std::uint8_t {
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  greater,
  at_most,
  at_least,
  equal,
  different,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  comma,
};

struct BinaryRow {
  std::string_view text;
  int precedence = 0;  // a larger one binds closer; 0: only in a statement and a for's step
  enum class Family : std::uint8_t {
    arithmetic,  // of numbers, in their common type
    integral,    // of integers, in their common type
    shift,       // of integers, in the promoted type of the left one
    comparison,  // gives bool
    logical,     // gives bool; the right operand is evaluated where the left one does not decide
    sequence,    // gives the right operand
  } family = Family::arithmetic;
  std::string_view function = {};  // of namespace xcuda on the device, for 16-bit and complex operands
};

constexpr std::array<BinaryRow, 19> kBinaryOperators = {{
    {"*", 11, BinaryRow::Family::arithmetic, "times"},
    {"/", 11, BinaryRow::Family::arithmetic, "over"},
    {"%", 11, BinaryRow::Family::integral},
    {"+", 10, BinaryRow::Family::arithmetic, "plus"},
    {"-", 10, BinaryRow::Family::arithmetic, "minus"},
    {"<<", 9, BinaryRow::Family::shift},
    {">>", 9, BinaryRow::Family::shift},
    {"<", 8, BinaryRow::Family::comparison, "less"},
    {">", 8, BinaryRow::Family::comparison, "greater"},
    {"<=", 8, BinaryRow::Family::comparison, "at_most"},
    {">=", 8, BinaryRow::Family::comparison, "at_least"},
    {"==", 7, BinaryRow::Family::comparison, "equal"},
    {"!=", 7, BinaryRow::Family::comparison, "different"},
    {"&", 6, BinaryRow::Family::integral},
    {"^", 5, BinaryRow::Family::integral},
    {"|", 4, BinaryRow::Family::integral},
    {"&&", 3, BinaryRow::Family::logical},
    {"||", 2, BinaryRow::Family::logical},
    {",", 0, BinaryRow::Family::sequence},
}};

constexpr const UnaryRow& row_of(UnaryOperator op) { return kUnaryOperators[static_cast<std::size_t>(op)]; }
constexpr const BinaryRow& row_of(BinaryOperator op) { return kBinaryOperators[static_cast<std::size_t>(op)]; }
constexpr std::string_view spelling(UnaryOperator op) { return row_of(op).text; }
constexpr std::string_view spelling(BinaryOperator op) { return row_of(op).text; }
constexpr BinaryRow::Family family(BinaryOperator op) { return row_of(op).family; }

static_assert(spelling(UnaryOperator::decrement_after) == "--" && spelling(BinaryOperator::comma) == ",");

constexpr bool is_step(UnaryOperator op) { return op >= UnaryOperator::increment; }     // ++ and --
constexpr bool is_of_values(UnaryOperator op) { return op <= UnaryOperator::bit_not; }  // + - ! ~
constexpr bool is_after(UnaryOperator op) { return row_of(op).place == UnaryRow::Place::after; }
constexpr bool is_comparison(BinaryOperator op) { return family(op) == BinaryRow::Family::comparison; }
constexpr bool is_logical(BinaryOperator op) { return family(op) == BinaryRow::Family::logical; }
constexpr bool is_bitwise(BinaryOperator op) {
  return op == BinaryOperator::bit_and || op == BinaryOperator::bit_or || op == BinaryOperator::bit_xor;
}

// What a step adds or subtracts 1 with.
constexpr BinaryOperator operator_of_step(UnaryOperator op) {
  const bool up = op == UnaryOperator::increment || op == UnaryOperator::increment_after;
  return up ? BinaryOperator::add : BinaryOperator::subtract;
}

}  // namespace xcuda::cell
