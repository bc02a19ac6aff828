#include "language/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "base/host_arithmetic.hpp"

namespace xcuda::language {
namespace {

using Family = cell::BinaryRow::Family;

Error at(const Where& where, ErrorKind kind, std::string message) {
  return Error(kind, std::move(message)).at(where.get());
}

// One binary operation: the operands as they are, and the kind that both are converted to.
struct BinaryOperation {
  BinaryOperator op;
  const ScalarValue& left;
  const ScalarValue& right;
  const Where& where;
  Kind kind;

  Error undefined() const { return undefined_operator(op, left.kind(), right.kind()).at(where.get()); }
};

ScalarValue shift(const BinaryOperation& operation) {
  const auto& left = operation.left;
  const auto& right = operation.right;
  if (!left.is_integer() || !right.is_integer()) throw operation.undefined();
  const auto kind = promoted(left.kind());
  const int bits = bits_of(kind);
  if (right.is_negative() || right.as_unsigned() >= static_cast<std::uint64_t>(bits))
    throw at(operation.where, ErrorKind::value, wrong_shift_text(type_of(kind).name, right.text(), bits));
  const auto count = right.as_unsigned();
  if (operation.op == BinaryOperator::shift_left) return ScalarValue::integer(kind, left.as_unsigned() << count);
  if (is_signed(kind)) return ScalarValue::integer(kind, static_cast<std::uint64_t>(left.as_signed() >> count));
  return ScalarValue::integer(kind, left.as_unsigned() >> count);
}

ScalarValue divide(const BinaryOperation& operation, std::uint64_t a, std::uint64_t b) {
  const auto kind = operation.kind;
  const bool quotient = operation.op == BinaryOperator::divide;
  if (b == 0)
    throw at(operation.where, ErrorKind::value, fmt::format("division by zero ({})", type_of(kind).name))
        .advise("Divide floating-point values, or test the divisor first.");
  if (!is_signed(kind)) return ScalarValue::integer(kind, quotient ? a / b : a % b);
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return ScalarValue::integer(kind, quotient ? 0 - a : 0);  // the least number wraps to itself
  return ScalarValue::integer(kind, static_cast<std::uint64_t>(quotient ? x / y : x % y));
}

ScalarValue integer_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const auto a = convert(operation.left, kind).as_unsigned(), b = convert(operation.right, kind).as_unsigned();
  const auto compared = [&](auto compare) {
    return ScalarValue::of(is_signed(kind) ? compare(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                           : compare(a, b));
  };
  switch (operation.op) {
    case BinaryOperator::add: return ScalarValue::integer(kind, a + b);
    case BinaryOperator::subtract: return ScalarValue::integer(kind, a - b);
    case BinaryOperator::multiply: return ScalarValue::integer(kind, a * b);
    case BinaryOperator::divide: return divide(operation, a, b);
    case BinaryOperator::remainder: return divide(operation, a, b);
    case BinaryOperator::bit_and: return ScalarValue::integer(kind, a & b);
    case BinaryOperator::bit_or: return ScalarValue::integer(kind, a | b);
    case BinaryOperator::bit_xor: return ScalarValue::integer(kind, a ^ b);
    case BinaryOperator::equal: return ScalarValue::of(a == b);
    case BinaryOperator::different: return ScalarValue::of(a != b);
    case BinaryOperator::less: return compared([](auto x, auto y) { return x < y; });
    case BinaryOperator::at_most: return compared([](auto x, auto y) { return x <= y; });
    case BinaryOperator::greater: return compared([](auto x, auto y) { return x > y; });
    case BinaryOperator::at_least: return compared([](auto x, auto y) { return x >= y; });
    default: throw operation.undefined();
  }
}

ScalarValue real_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const double a = convert(operation.left, kind).as_real(), b = convert(operation.right, kind).as_real();
  // Double arithmetic on floats, rounded once, is float arithmetic: 53 bits are more than twice 24 plus two.
  switch (operation.op) {
    case BinaryOperator::add: return ScalarValue::real(kind, a + b);
    case BinaryOperator::subtract: return ScalarValue::real(kind, a - b);
    case BinaryOperator::multiply: return ScalarValue::real(kind, a * b);
    case BinaryOperator::divide: return ScalarValue::real(kind, a / b);
    case BinaryOperator::equal: return ScalarValue::of(a == b);
    case BinaryOperator::different: return ScalarValue::of(a != b);
    case BinaryOperator::less: return ScalarValue::of(a < b);
    case BinaryOperator::at_most: return ScalarValue::of(a <= b);
    case BinaryOperator::greater: return ScalarValue::of(a > b);
    case BinaryOperator::at_least: return ScalarValue::of(a >= b);
    default: throw operation.undefined();
  }
}

ScalarValue complex_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const auto left = convert(operation.left, kind), right = convert(operation.right, kind);
  const std::complex<double> a(left.as_real(), left.imaginary()), b(right.as_real(), right.imaginary());
  const auto result = [&](std::complex<double> value) {
    return ScalarValue::complex(kind, value.real(), value.imag());
  };
  switch (operation.op) {
    case BinaryOperator::add: return result(a + b);
    case BinaryOperator::subtract: return result(a - b);
    case BinaryOperator::multiply: return result(a * b);
    case BinaryOperator::divide: return result(a / b);
    case BinaryOperator::equal: return ScalarValue::of(a == b);
    case BinaryOperator::different: return ScalarValue::of(a != b);
    default: throw operation.undefined();
  }
}

}  // namespace

std::optional<Kind> result_kind(BinaryOperator op, Kind left, Kind right) {
  const bool integers = is_integer(left) && is_integer(right), complex = is_complex(left) || is_complex(right);
  switch (cell::family(op)) {
    case Family::arithmetic: return common_kind(left, right);
    case Family::integral: return integers ? std::optional(common_kind(left, right)) : std::nullopt;
    case Family::shift: return integers ? std::optional(promoted(left)) : std::nullopt;
    case Family::comparison:
      if (complex && op != BinaryOperator::equal && op != BinaryOperator::different) return std::nullopt;
      return Kind::boolean;
    case Family::logical: return Kind::boolean;
    case Family::sequence: return right;
  }
  return std::nullopt;
}

std::optional<Kind> result_kind(UnaryOperator op, Kind operand) {
  if (op == UnaryOperator::logical_not) return Kind::boolean;
  if (cell::is_step(op)) return operand;
  return op == UnaryOperator::bit_not && !is_integer(operand) ? std::nullopt : std::optional(promoted(operand));
}

Error undefined_operator(BinaryOperator op, Kind left, Kind right) {
  Error error(ErrorKind::type, fmt::format("'{}' is not defined for {} and {}", cell::spelling(op), type_of(left).name,
                                           type_of(right).name));
  if (op == BinaryOperator::remainder && !is_complex(left) && !is_complex(right)) error.advice = "Use fmod(a, b).";
  if (op == BinaryOperator::bit_xor) error.advice = "^ is C++'s exclusive or; pow(a, b) is a power.";
  return error;
}

Error undefined_operator(UnaryOperator op, Kind operand) {
  return {ErrorKind::type, fmt::format("'{}' is not defined for {}", cell::spelling(op), type_of(operand).name)};
}

ScalarValue binary(BinaryOperator op, const ScalarValue& left, const ScalarValue& right, const Where& where) {
  const BinaryOperation operation{op, left, right, where, common_kind(left.kind(), right.kind())};
  if (cell::family(op) == Family::shift) return shift(operation);
  if (op == BinaryOperator::logical_and) return ScalarValue::of(left.truth() && right.truth());
  if (op == BinaryOperator::logical_or) return ScalarValue::of(left.truth() || right.truth());
  if (is_integer(operation.kind)) return integer_binary(operation);
  return is_complex(operation.kind) ? complex_binary(operation) : real_binary(operation);
}

ScalarValue unary(UnaryOperator op, const ScalarValue& operand, const Where& where) {
  switch (op) {
    case UnaryOperator::logical_not: return ScalarValue::of(!operand.truth());
    case UnaryOperator::plus: return convert(operand, promoted(operand.kind()));
    case UnaryOperator::minus: {
      const auto kind = promoted(operand.kind());
      if (is_integer(kind)) return ScalarValue::integer(kind, 0 - operand.as_unsigned());
      if (is_complex(kind)) return ScalarValue::complex(kind, -operand.as_real(), -operand.imaginary());
      return ScalarValue::real(kind, -operand.as_real());
    }
    case UnaryOperator::bit_not:
      if (operand.is_integer()) return ScalarValue::integer(promoted(operand.kind()), ~operand.as_unsigned());
      [[fallthrough]];
    default: throw undefined_operator(op, operand.kind()).at(where.get());
  }
}

}  // namespace xcuda::language
