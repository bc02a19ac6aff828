#include "language/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace xcuda::language {
namespace {

Error at(const Where& where, ErrorKind kind, std::string message) {
  return Error(kind, std::move(message)).at(where.get());
}

// The operators by one small number: two characters are enough to tell them apart.
constexpr unsigned code(std::string_view op) {
  return static_cast<unsigned char>(op[0]) |
         (op.size() > 1 ? static_cast<unsigned>(static_cast<unsigned char>(op[1])) << 8 : 0U);
}

// One binary operation: the operands as they are, and the kind that both are converted to.
struct BinaryOperation {
  std::string_view op;
  const Value& left;
  const Value& right;
  const Where& where;
  Kind kind;

  Error undefined() const {
    return at(where, ErrorKind::type,
              fmt::format("'{}' is not defined for {} and {}", op, left.type().name, right.type().name));
  }
};

Value shift(const BinaryOperation& operation) {
  const auto& left = operation.left;
  const auto& right = operation.right;
  if (!left.is_integer() || !right.is_integer()) throw operation.undefined();
  const auto kind = promoted(left.kind());
  const int bits = bits_of(kind);
  if (right.is_negative() || right.as_unsigned() >= static_cast<std::uint64_t>(bits))
    throw at(operation.where, ErrorKind::value,
             fmt::format("shifting {} by {}: the count must be 0 to {}", type_of(kind).name, right.text(), bits - 1));
  const auto count = right.as_unsigned();
  if (operation.op == "<<") return Value::integer(kind, left.as_unsigned() << count);
  if (is_signed(kind)) return Value::integer(kind, static_cast<std::uint64_t>(left.as_signed() >> count));
  return Value::integer(kind, left.as_unsigned() >> count);
}

Value divide(const BinaryOperation& operation, std::uint64_t a, std::uint64_t b) {
  const auto kind = operation.kind;
  const bool quotient = operation.op == "/";
  if (b == 0)
    throw at(operation.where, ErrorKind::value, fmt::format("division by zero ({})", type_of(kind).name))
        .advise("Divide floating-point values, or test the divisor first.");
  if (!is_signed(kind)) return Value::integer(kind, quotient ? a / b : a % b);
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return Value::integer(kind, quotient ? 0 - a : 0);  // the least number wraps to itself
  return Value::integer(kind, static_cast<std::uint64_t>(quotient ? x / y : x % y));
}

Value integer_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const auto a = convert(operation.left, kind).as_unsigned(), b = convert(operation.right, kind).as_unsigned();
  const auto compared = [&](auto compare) {
    return Value::of(is_signed(kind) ? compare(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))
                                     : compare(a, b));
  };
  switch (code(operation.op)) {
    case code("+"): return Value::integer(kind, a + b);
    case code("-"): return Value::integer(kind, a - b);
    case code("*"): return Value::integer(kind, a * b);
    case code("/"): return divide(operation, a, b);
    case code("%"): return divide(operation, a, b);
    case code("&"): return Value::integer(kind, a & b);
    case code("|"): return Value::integer(kind, a | b);
    case code("^"): return Value::integer(kind, a ^ b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    case code("<"): return compared([](auto x, auto y) { return x < y; });
    case code("<="): return compared([](auto x, auto y) { return x <= y; });
    case code(">"): return compared([](auto x, auto y) { return x > y; });
    case code(">="): return compared([](auto x, auto y) { return x >= y; });
    default: throw operation.undefined();
  }
}

Value real_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const double a = convert(operation.left, kind).as_real(), b = convert(operation.right, kind).as_real();
  // Double arithmetic on floats, rounded once, is float arithmetic: 53 bits are more than twice 24 plus two.
  switch (code(operation.op)) {
    case code("+"): return Value::real(kind, a + b);
    case code("-"): return Value::real(kind, a - b);
    case code("*"): return Value::real(kind, a * b);
    case code("/"): return Value::real(kind, a / b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    case code("<"): return Value::of(a < b);
    case code("<="): return Value::of(a <= b);
    case code(">"): return Value::of(a > b);
    case code(">="): return Value::of(a >= b);
    case code("%"): throw operation.undefined().advise("Use fmod(a, b).");
    default: throw operation.undefined();
  }
}

Value complex_binary(const BinaryOperation& operation) {
  const auto kind = operation.kind;
  const auto left = convert(operation.left, kind), right = convert(operation.right, kind);
  const std::complex<double> a(left.as_real(), left.imaginary()), b(right.as_real(), right.imaginary());
  const auto result = [&](std::complex<double> value) { return Value::complex(kind, value.real(), value.imag()); };
  switch (code(operation.op)) {
    case code("+"): return result(a + b);
    case code("-"): return result(a - b);
    case code("*"): return result(a * b);
    case code("/"): return result(a / b);
    case code("=="): return Value::of(a == b);
    case code("!="): return Value::of(a != b);
    default: throw operation.undefined();
  }
}

}  // namespace

Value binary(std::string_view op, const Value& left, const Value& right, const Where& where) {
  const BinaryOperation operation{op, left, right, where, common_kind(left.kind(), right.kind())};
  switch (code(op)) {
    case code("&&"): return Value::of(left.truth() && right.truth());
    case code("||"): return Value::of(left.truth() || right.truth());
    case code("<<"):
    case code(">>"): return shift(operation);
    default: break;
  }
  if (is_integer(operation.kind)) return integer_binary(operation);
  return is_complex(operation.kind) ? complex_binary(operation) : real_binary(operation);
}

Value unary(std::string_view op, const Value& operand, const Where& where) {
  switch (code(op)) {
    case code("!"): return Value::of(!operand.truth());
    case code("+"): return convert(operand, promoted(operand.kind()));
    case code("-"): {
      const auto kind = promoted(operand.kind());
      if (is_integer(kind)) return Value::integer(kind, 0 - operand.as_unsigned());
      if (is_complex(kind)) return Value::complex(kind, -operand.as_real(), -operand.imaginary());
      return Value::real(kind, -operand.as_real());
    }
    case code("~"):
      if (operand.is_integer()) return Value::integer(promoted(operand.kind()), ~operand.as_unsigned());
      [[fallthrough]];
    default: throw at(where, ErrorKind::type, fmt::format("'{}' is not defined for {}", op, operand.type().name));
  }
}

}  // namespace xcuda::language
