#include "interpreter/matrices/matrix_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arrays/array_math.hpp"
#include "arrays/products.hpp"
#include "base/fp8.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/matrix_problem.hpp"
#include "interpreter/composed/sparse_matrices.hpp"
#include "interpreter/given_call_arguments.hpp"

namespace xcuda::interpreter {

// Views stay views: the library may read them where they lie.
Pointer MatrixCalls::factor(const cell::Expression& expression, const FunctionCall& of) {
  return factor(evaluate(expression), expression, of);
}

Pointer MatrixCalls::factor(const Value& value, const cell::Expression& expression, const FunctionCall& of) {
  const auto node = frame_.call_arguments.array(value, expression, of);
  auto factor = node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node);
  if (!language::kind_of(factor.type) &&
      !(of.row().operation == language::Operation::matmul && fp8_of(factor.type.name)))
    throw error(ErrorKind::type,
                fmt::format("{}() takes numbers, but {} has elements of {}", of.row().name,
                            snippet(run_.source, expression.span), factor.type.name),
                expression.span);
  return factor;
}

Value MatrixCalls::multiply(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto a = evaluate(*given[0]), b = evaluate(*given[1]);
  if (sparse_in(a) != nullptr || sparse_in(b) != nullptr) {
    Composition composition(frame_, of);
    return sparse_matmul(composition, {a, *given[0]}, {b, *given[1]});
  }
  auto left = factor(a, *given[0], of), right = factor(b, *given[1], of);
  const bool fp8 = fp8_of(left.type.name) || fp8_of(right.type.name);
  double scale = 1;
  for (const char* const name : {"scale_a", "scale_b"}) {
    const auto* one = language::given(of.call, of.row(), name);
    if (one == nullptr) continue;
    if (!fp8)
      throw error(ErrorKind::type,
                  fmt::format("matmul: {} is for 8-bit factors, __nv_fp8_e4m3 and __nv_fp8_e5m2", name), one->span)
          .advise("Multiply the product: 2 * matmul(a, b) is one call.");
    scale *= number(*one, name).as_real();
  }
  if (!fp8) unify(frame_.arrays, left, right, of.span);
  const auto node = Products(frame_.arrays, session_.operations().workspace())
                        .node({std::move(left), std::move(right), snippet(run_.source, given[0]->span),
                               snippet(run_.source, given[1]->span), of.span, scale});
  if (node->shape.empty()) return frame_.array_expressions.number_of(node->array);
  return ArrayExpression{node};
}

Value MatrixCalls::outer(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  auto x = frame_.arrays.contiguous(factor(*given[0], of)), y = frame_.arrays.contiguous(factor(*given[1], of));
  x.shape = {count_of(x.shape), 1};
  y.shape = {1, count_of(y.shape)};
  return ArrayExpression{frame_.array_expressions.combine(
      cell::BinaryOperator::multiply, {array_node(x, given[0]->span), array_node(y, given[1]->span)}, of.span)};
}

// Each extent of a beside the same of b: [m][1][n][1] by [1][p][1][q] is [m][p][n][q], which is [m p][n q].
Value MatrixCalls::kronecker(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  auto x = frame_.arrays.contiguous(factor(*given[0], of)), y = frame_.arrays.contiguous(factor(*given[1], of));
  const auto rank = std::max(x.shape.size(), y.shape.size());
  if (2 * rank > kMaxExtents)
    throw error(ErrorKind::unsupported, fmt::format("kron() takes at most {} extents", kMaxExtents / 2), of.span);
  Shape left, right, whole;
  const auto at = [&](const Shape& shape, std::size_t d) {
    return d + shape.size() < rank ? 1 : shape[d + shape.size() - rank];
  };
  for (std::size_t d = 0; d < rank; ++d) {
    const auto a = at(x.shape, d), b = at(y.shape, d);
    left.insert(left.end(), {a, 1});
    right.insert(right.end(), {1, b});
    whole.push_back(a * b);
  }
  x.shape = std::move(left);
  y.shape = std::move(right);
  auto result = frame_.arrays.evaluate(frame_.array_expressions.combine(
      cell::BinaryOperator::multiply, {array_node(x, given[0]->span), array_node(y, given[1]->span)}, of.span));
  result.shape = std::move(whole);
  return result;
}

Pointer MatrixCalls::product(const Pointer& left, const Pointer& right, const FunctionCall& of) {
  const auto text = snippet(run_.source, of.call.arguments[0].value->span);
  return frame_.arrays.evaluate(
      Products(frame_.arrays, session_.operations().workspace()).node({left, right, text, text, of.span}));
}

// By squaring: as many products as n has bits, and as many again as have a one. A negative power is that of the
// inverse.
Value MatrixCalls::power(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  auto square = factor(*given[0], of);
  const auto& shape = square.shape;
  if (shape.size() < 2 || shape[shape.size() - 2] != shape.back())
    throw error(ErrorKind::value,
                fmt::format("matrix_power() takes square matrices, but {} is {}", snippet(run_.source, given[0]->span),
                            fmt::join(shape, " × ")),
                given[0]->span);
  const auto n = number(*given[1], "n");
  if (!n.is_integer())
    throw error(ErrorKind::value, fmt::format("matrix_power() takes an integer power, not {}", n.text()),
                given[1]->span);
  if (n.is_negative()) {
    Composition composition(frame_, of);
    square = inverse_of(composition);
  }
  if (square.type.is_integer() && square.type.scalar != Scalar::int64) {
    square = frame_.arrays.evaluate(
        apply_node(ArrayNode::Kind::cast, "long", {array_node(square, of.span)}, square.shape, of.span));
  }
  std::optional<Pointer> result;
  for (auto left = n.is_negative() ? 0 - n.as_unsigned() : n.as_unsigned(); left > 0; left >>= 1) {
    if ((left & 1) != 0) result = result ? product(*result, square, of) : square;
    if (left > 1) square = product(square, square, of);
  }
  if (result) return frame_.arrays.contiguous(*result);
  // The identity: 1 where row and column are equal.
  std::vector<ArrayNodePtr> indices;
  for (const auto back : {2, 1}) {
    auto index = std::make_shared<ArrayNode>();
    index->kind = ArrayNode::Kind::index;
    index->dimension = static_cast<int>(shape.size()) - back;
    indices.push_back(std::move(index));
  }
  auto same = apply_node(cell::BinaryOperator::equal, std::move(indices), shape, of.span);
  return frame_.arrays.evaluate(apply_node(ArrayNode::Kind::cast, square.type.name, {std::move(same)}, shape, of.span));
}

}  // namespace xcuda::interpreter
