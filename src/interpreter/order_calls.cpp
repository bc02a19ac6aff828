#include "interpreter/order_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

using language::Operation;

// scan(x), scan(x, op, init, inclusive, axis); cumprod(x, axis)
Value OrderCalls::scan(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto& row = of.row();
  const auto optional = [&](std::string_view name) { return language::given(of.call, row, name); };
  auto node = frame_.call_arguments.array(*given[0], of);
  ScanRequest request;
  request.axis = frame_.call_arguments.axis(optional("axis"), *node);
  const bool flattens = row.has(language::Trait::flattens);
  if (node->shape.size() != 1 && !request.axis) {
    if (!flattens)
      throw error(ErrorKind::unsupported,
                  fmt::format("{}() takes one dimension, but {} has {}", row.name, snippet(run_.source, given[0]->span),
                              node->shape.size()),
                  given[0]->span)
          .advise(fmt::format("Use {0}({1}, axis = 0) along an axis, or {0}(reshape({1}, n)) over all elements.",
                              row.name, snippet(run_.source, given[0]->span)));
    auto whole = frame_.arrays.contiguous(frame_.arrays.evaluate(node));
    whole.shape = {count_of(whole.shape)};
    node = array_node(whole, node->span);
  }
  request.node = node;
  const auto* inclusive = optional("inclusive");
  if (inclusive != nullptr && !number(*inclusive, "inclusive").truth()) request.kind = ScanRequest::Kind::exclusive;
  if (const auto* init = optional("init")) {
    request.init = frame_.array_expressions.node_of(evaluate(*init), *init);
    if (request.init->kind == ArrayNode::Kind::literal) request.init = scalar_node(number(*init, "init"), init->span);
  }
  const auto* op = optional("op");
  if (op == nullptr) {
    if (request.init == nullptr && !flattens) request.init = scalar_node(language::ScalarValue::of(0), node->span);
    request.state = "xcuda::SumOf<xcuda_Own>::State";
    request.result = "xcuda::SumOf<xcuda_Own>::Result";
    request.function = arrays::commuting_function(row.device);
    return ArrayExpression{frame_.arrays.scan_node(request)};
  }
  if (request.kind == ScanRequest::Kind::exclusive && request.init == nullptr)
    throw error(ErrorKind::type, "an exclusive scan with a function needs an init, the value before the first element",
                of.span);
  const auto function = frame_.call_arguments.function(*op);
  const bool math = frame_.call_arguments.is_math(function);
  request.state = request.result = request.init != nullptr ? request.init->array.type.name : "xcuda_Own";
  request.names = math ? "" : function;
  request.function = fmt::format(
      "struct xcuda_Function {{\nstatic constexpr bool commutes = false;\n"
      "template <class A, class B> __device__ __forceinline__ auto operator()(const A& a, const B& b) const {{ return "
      "{}(a, b); }}\n}};\n",
      math ? fmt::format("xcuda::math::{}", language::without_std(function)) : function);
  return ArrayExpression{frame_.arrays.scan_node(request)};
}

// The elements in one piece: numbers that have an order.
Pointer OrderCalls::argument(const cell::Expression& expression, const FunctionCall& of) {
  auto x = frame_.arrays.contiguous(frame_.arrays.evaluate(frame_.call_arguments.array(expression, of)));
  if (x.type.scalar == Scalar::none || x.type.lanes > 1 || x.type.scalar >= Scalar::complex64)
    throw error(ErrorKind::type, fmt::format("{}() takes numbers, but the elements are {}", of.row().name, x.type.name),
                expression.span);
  if (count_of(x.shape) >= std::uint64_t{1} << 32)
    throw error(ErrorKind::unsupported, fmt::format("{}() takes fewer than 2^32 elements", of.row().name),
                expression.span);
  return x;
}

// sort(x), argsort(x), unique(x)
Value OrderCalls::sort(const FunctionCall& of) {
  const auto& expression = *frame_.call_arguments.bound(of)[0];
  const auto operation = of.row().operation;
  auto x = argument(expression, of);
  const bool by_axis = language::given(of.call, of.row(), "axis") != nullptr;
  if (by_axis || (operation != Operation::unique && x.shape.size() != 1)) return evaluate_composed(frame_, of).front();
  x.shape = {count_of(x.shape)};
  if (operation == Operation::unique) return frame_.arrays.unique(x, of.span);
  const auto keep = operation == Operation::order ? ArrayMath::SortKeep::order : ArrayMath::SortKeep::values;
  return ArrayExpression{frame_.arrays.sort_node(x, keep, of.span)};
}

// median(x, axis, keep): of lines that lie one after the other.
Value OrderCalls::median(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  auto x = argument(*given[0], of);
  const auto axis = frame_.call_arguments.axis(given[1], *array_node(x, given[0]->span));
  auto left = x.shape;
  auto extent = axis ? x.shape[*axis] : count_of(x.shape);
  if (extent == 0) throw error(ErrorKind::value, "median() of an empty array", of.span);
  if (axis) {
    x.strides = strides_of(x);
    std::rotate(x.shape.begin() + static_cast<std::ptrdiff_t>(*axis),
                x.shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.shape.end());
    std::rotate(x.strides.begin() + static_cast<std::ptrdiff_t>(*axis),
                x.strides.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x.strides.end());
    x = frame_.arrays.contiguous(x);
    if (given[2] != nullptr && number(*given[2], "keep").truth())
      left[*axis] = 1;
    else
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*axis));
  } else {
    left.clear();
  }
  return frame_.array_expressions.number_or_elements(frame_.arrays.median(x, extent, left));
}

// roll(x, shift, axis): two pieces change places.
Value OrderCalls::roll(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto x = frame_.arrays.contiguous(frame_.arrays.evaluate(frame_.call_arguments.array(*given[0], of)));
  const auto shift = number(*given[1], "shift");
  if (!shift.is_integer())
    throw error(ErrorKind::type, fmt::format("shift is {}, not an integer", shift.type().name), given[1]->span);
  const auto axis = frame_.call_arguments.axis(given[2], *array_node(x, given[0]->span));
  const auto extent = static_cast<std::int64_t>(axis ? x.shape[*axis] : count_of(x.shape));
  if (extent == 0) return x;
  return frame_.arrays.roll(x, static_cast<std::uint64_t>((shift.as_signed() % extent + extent) % extent), axis);
}

// histogram(x, bins = 10, lo = min(x), hi = max(x))
Value OrderCalls::histogram(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto node = frame_.call_arguments.array(*given[0], of);
  std::uint32_t bins = 10;
  if (given[1] != nullptr && is_array(evaluate(*given[1]))) return evaluate_composed(frame_, of).front();  // edges
  if (given[1] != nullptr) bins = frame_.dimensions.extent(*given[1], "bins");
  if (bins == 0) throw error(ErrorKind::value, "histogram() takes at least one bin", given[1]->span);
  if (count_of(node->shape) == 0 && (given[2] == nullptr || given[3] == nullptr))
    throw error(ErrorKind::value, "histogram() of an empty array needs lo and hi", of.span);
  const auto end = [&](const cell::Expression* expression, const char* reducer) {
    if (expression != nullptr) return number(*expression, "a bound").as_real();
    return number(frame_.array_expressions.reduced(node, reducer), of.span, "a bound").as_real();
  };
  const double low = end(given[2], "Min"), high = end(given[3], "Max");
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high))
    throw error(ErrorKind::value, fmt::format("the range from {} to {} has no bins", low, high), of.span);
  return frame_.arrays.histogram(node, bins, low == high ? low - 0.5 : low, low == high ? high + 0.5 : high);
}

}  // namespace xcuda::interpreter
