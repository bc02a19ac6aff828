#include "interpreter/array_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/sparse_matrices.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/places.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

using language::Operation;
using language::without_std;

namespace {

ArrayNodePtr real_node(double value, cell::Span span) { return scalar_node(language::ScalarValue::of(value), span); }

}  // namespace

Value ArrayCalls::dot(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto x = frame_.call_arguments.array(*given[0], of), y = frame_.call_arguments.array(*given[1], of);
  if (x->shape != y->shape) {
    const bool matrices = x->shape.size() > 1 || y->shape.size() > 1;
    throw error(
        ErrorKind::value,
        fmt::format("dot() takes two arrays of one shape: {} is {}, {} is {}", snippet(run_.source, given[0]->span),
                    shape_text(x->shape), snippet(run_.source, given[1]->span), shape_text(y->shape)),
        of.span)
        .advise(matrices ? fmt::format("matmul({}, {}) is the product of matrices.",
                                       snippet(run_.source, given[0]->span), snippet(run_.source, given[1]->span))
                         : "");
  }
  const auto terms = frame_.array_expressions.combine(ArrayNode::Kind::function, "xcuda::dot_term", {x, y}, of.span);
  return frame_.array_expressions.reduced(terms, of.row().device);
}

Value ArrayCalls::reduce(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto& row = of.row();
  const auto span = of.span;
  ReduceRequest request;
  request.node = frame_.call_arguments.array(*given[0], of);
  request.reducer = reducer_text(row.device);
  const bool by_place = of.call.arguments.size() > 1 && of.call.arguments[1].name.empty();
  if (row.device == "CountOf" && by_place && given[1] != nullptr)  // count(x, 3)
    if (const auto value = number(*given[1], "axis");
        value.is_integer() && !value.is_negative() && value.as_unsigned() >= request.node->shape.size())
      throw error(ErrorKind::value,
                  fmt::format("{}() counts along axis {}, which {} does not have", row.name, value.text(),
                              snippet(run_.source, given[0]->span)),
                  given[1]->span)
          .advise(fmt::format("{}({} == {}) counts the elements with that value.", row.name,
                              snippet(run_.source, given[0]->span), snippet(run_.source, given[1]->span)));
  request.axis = frame_.call_arguments.axis(given[1], *request.node);
  if (given[2] != nullptr && number(*given[2], "keep").truth()) request.keep = ReduceRequest::Keep::yes;
  if (request.node->shape.size() == 1 && request.keep == ReduceRequest::Keep::no) request.axis.reset();
  static constexpr std::string_view kExtremes[] = {"Min", "Max", "ArgMin", "ArgMax"};  // of no elements: nothing
  if ((request.axis ? request.node->shape[*request.axis] : count_of(request.node->shape)) == 0 &&
      among(row.device, kExtremes))
    throw error(ErrorKind::value, fmt::format("{}() of an empty array", row.name), span);
  const auto reduced = [&](ReduceRequest wanted) {
    return wanted.axis ? Value(frame_.arrays.reduce(wanted)) : frame_.array_expressions.reduced(std::move(wanted));
  };
  if (row.operation != Operation::variance) return reduced(std::move(request));

  const std::uint64_t extent = request.axis ? request.node->shape[*request.axis] : count_of(request.node->shape);
  if (extent == 0) throw error(ErrorKind::value, fmt::format("{}() of an empty array", row.name), span);
  const double ddof = given[3] != nullptr ? number(*given[3], "ddof").as_real() : 0;
  if (!(ddof < static_cast<double>(extent)))
    throw error(ErrorKind::value, fmt::format("{}() of {} elements needs a smaller ddof", row.name, extent), span);
  // The mean first, then the distances from it: exact also where the mean is large.
  auto mean = request;
  mean.reducer = reducer_text("Mean");
  if (request.axis) mean.keep = ReduceRequest::Keep::yes;
  ArrayNodePtr around;
  if (!request.axis && session_.chosen().order().several()) {
    around = scalar_node(number(frame_.array_expressions.reduced(mean), span, "a mean"), span);
  } else {  // stays on the device
    auto kept = frame_.arrays.reduce(mean);
    if (!request.axis) kept.shape.assign(request.node->shape.size(), 1);
    around = array_node(kept, span);
  }
  request.node = frame_.array_expressions.combine(ArrayNode::Kind::function, "xcuda::deviation_term",
                                                  {request.node, around}, span);
  if (ddof == 0) return reduced(request);
  request.reducer = reducer_text("Sum");
  const double over = static_cast<double>(extent) - ddof;
  const bool root = row.has(language::Trait::rooted);
  if (!request.axis) {
    const auto value = number(frame_.array_expressions.reduced(request), span, "a sum of squares").as_real() / over;
    return language::ScalarValue::of(root ? std::sqrt(value) : value);
  }
  const auto result = frame_.arrays.reduce(request);
  const auto variance = frame_.array_expressions.combine(cell::BinaryOperator::divide,
                                                         {array_node(result, span), real_node(over, span)}, span);
  if (!root) return ArrayExpression{variance};
  return ArrayExpression{
      frame_.array_expressions.combine(ArrayNode::Kind::function, "xcuda::math::sqrt", {variance}, span)};
}

// reduce(x, init, op)
Value ArrayCalls::fold(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto span = of.span;
  ReduceRequest request;
  request.node = frame_.call_arguments.array(*given[0], of);
  const auto init = evaluate(*given[1]);
  const auto first = frame_.array_expressions.node_of(init, *given[1]);
  const auto op = frame_.call_arguments.function(*given[2]);
  const bool math = frame_.call_arguments.is_math(op);
  const auto* number = std::get_if<language::ScalarValue>(&init);
  const auto* object = std::get_if<Object>(&init);
  if (number == nullptr && object == nullptr)
    throw error(ErrorKind::type, "the initial value of reduce() must be a number or an object", given[1]->span);
  const auto type = number != nullptr ? number->type() : object->type;
  const auto spelled = math ? fmt::format("xcuda::math::{}", without_std(op)) : op;
  request.function = fmt::format(
      "struct xcuda_Function {{ template <class A, class B> __device__ __forceinline__ auto operator()(const A& a, "
      "const B& b) const {{ return {}(a, b); }} }};\n",
      spelled);
  request.reducer = fmt::format("xcuda::Folded<{}, xcuda_Function>", type.name);
  request.names = math ? type.name : fmt::format("{} {}", op, type.name);
  const auto rest = frame_.arrays.reduce(request);
  auto result = apply_node(ArrayNode::Kind::function, op, {first, array_node(rest, span)}, {1}, span);
  std::const_pointer_cast<ArrayNode>(result)->of_cells = !math;
  return frame_.array_expressions.number_of(frame_.arrays.evaluate(result));
}

// map(n, f, ...), map({rows, columns}, f, ...): element i is f(i, ...); arrays are given as pointers.
Value ArrayCalls::map(const FunctionCall& of) {
  const auto& call = of.call;
  const auto span = of.span;
  frame_.call_arguments.bound(of);
  Shape shape;
  const auto extent = [&](const cell::Expression& expression) {
    const auto value = number(expression, "an extent of map()");
    if (!value.is_integer() || value.is_negative() || value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of map() is {}", value.text()), expression.span);
    shape.push_back(value.as_unsigned());
  };
  const auto& first = *call.arguments[0].value;
  if (const auto* list = std::get_if<cell::List>(&first.node))
    for (const auto& one : list->elements) extent(*one);
  else
    extent(first);
  if (shape.empty() || shape.size() > 4) throw error(ErrorKind::value, "map() takes one to four extents", first.span);
  const auto function = frame_.call_arguments.function(*call.arguments[1].value);
  std::vector<ArrayNodePtr> inputs;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto index = std::make_shared<ArrayNode>();
    index->kind = ArrayNode::Kind::index;
    index->dimension = static_cast<int>(d);
    index->shape = shape;
    index->span = span;
    inputs.push_back(std::move(index));
  }
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    const auto& argument = *call.arguments[i].value;
    const auto value = evaluate(argument);
    const auto node = frame_.array_expressions.node_of(value, argument);
    if (node->shape.empty()) {
      inputs.push_back(node);
      continue;
    }
    auto whole = std::make_shared<ArrayNode>();
    whole->kind = ArrayNode::Kind::pointer;
    whole->array = frame_.arrays.contiguous(frame_.arrays.evaluate(node));
    whole->span = argument.span;
    inputs.push_back(std::move(whole));
  }
  auto node = apply_node(ArrayNode::Kind::function, function, std::move(inputs), std::move(shape), span);
  std::const_pointer_cast<ArrayNode>(node)->of_cells = !frame_.call_arguments.is_math(function);
  return ArrayExpression{node};
}

// reshape(x, e0, e1, ...), reshape(x, {e0, e1, ...})
Value ArrayCalls::reshape(const FunctionCall& of) {
  const auto& call = of.call;
  const auto span = of.span;
  const auto node = frame_.call_arguments.array(*frame_.call_arguments.bound(of)[0], of);
  Shape shape;
  std::vector<const cell::Expression*> extents;
  const auto* list = std::get_if<cell::List>(&call.arguments[1].value->node);
  if (list != nullptr && call.arguments.size() == 2)
    for (const auto& one : list->elements) extents.push_back(one.get());
  else
    for (std::size_t i = 1; i < call.arguments.size(); ++i) extents.push_back(call.arguments[i].value.get());
  if (extents.size() > kMaxExtents) throw frame_.dimensions.too_many("the result of reshape()", extents.size(), span);
  std::optional<std::size_t> open;  // the extent that is -1: what the others leave
  for (const auto* extent : extents) {
    if (const auto whole = frame_.members.shape_of(*extent)) {
      shape.insert(shape.end(), whole->begin(), whole->end());
      continue;
    }
    const auto value = number(*extent, "an extent");
    const bool rest = value.is_integer() && value.is_negative() && value.as_signed() == -1 && !open;
    if (!value.is_integer() || (value.is_negative() && !rest))
      throw error(ErrorKind::value, fmt::format("an extent of reshape() is {}", value.text()), extent->span)
          .advise("The product of the extents is the array's number of elements; one of them may be -1, for the rest.");
    if (rest) open = shape.size();
    shape.push_back(rest ? 1 : value.as_unsigned());
  }
  if (open)
    if (const auto others = count_of(shape); others > 0) {
      shape[*open] = count_of(node->shape) / others;
      if (count_of(node->shape) % others != 0)
        throw error(ErrorKind::value,
                    fmt::format("{} has {} elements, which cannot be split into {}s",
                                snippet(run_.source, call.arguments[0].value->span),
                                format_count(count_of(node->shape)), format_count(others)),
                    span)
            .advise("The extents beside the -1 must divide the number of elements.");
    }
  if (count_of(shape) != count_of(node->shape))
    throw error(ErrorKind::value,
                fmt::format("{} has {} elements, but {} has {}", snippet(run_.source, call.arguments[0].value->span),
                            format_count(count_of(node->shape)), shape_text(shape), format_count(count_of(shape))),
                span);
  auto view = frame_.arrays.contiguous(frame_.arrays.evaluate(node));
  view.shape = std::move(shape);
  view.strides.clear();
  view.whole = false;
  return view;
}

// std::size(x), as C++ has it of an array: the first extent.
Value ArrayCalls::first_extent(const FunctionCall& of) {
  const auto extent =
      language::ScalarValue::of(frame_.call_arguments.array(*frame_.call_arguments.bound(of)[0], of)->shape.front());
  return language::convert(extent, of.row().result({}).type);
}

// transpose(x), reverse(x): the same memory seen in another order.
Value ArrayCalls::turn(const FunctionCall& of) {
  const auto& given = *frame_.call_arguments.bound(of)[0];
  const auto value = evaluate(given);
  if (const auto* matrix = sparse_in(value); matrix != nullptr && of.row().operation == Operation::transpose) {
    Composition composition(frame_, of);
    return sparse_value(transposed(composition, *matrix));
  }
  auto view = frame_.arrays.evaluate(frame_.call_arguments.array(value, given, of));
  view.strides = strides_of(view);
  view.whole = false;
  if (of.row().operation == Operation::transpose) {
    std::reverse(view.shape.begin(), view.shape.end());
    std::reverse(view.strides.begin(), view.strides.end());
  } else {
    const auto last = static_cast<std::int64_t>(view.shape.front() - 1) * view.strides.front();
    view.address += static_cast<device::Address>(last * static_cast<std::int64_t>(view.type.size));
    view.strides.front() = -view.strides.front();
  }
  if (is_contiguous(view)) view.strides.clear();
  return view;
}

Value ArrayCalls::choose(const FunctionCall& of) {
  std::vector<ArrayNodePtr> inputs;
  for (const auto* one : frame_.call_arguments.bound(of)) {
    const auto value = evaluate(*one);
    inputs.push_back(frame_.array_expressions.node_of(value, *one));
  }
  return frame_.array_expressions.number_or_array(
      frame_.array_expressions.combine(ArrayNode::Kind::ternary, "?", std::move(inputs), of.span));
}

Value ArrayCalls::of_device_code(const cell::Call& call, std::string_view function, std::vector<Value> values,
                                 cell::Span span) {
  std::vector<ArrayNodePtr> inputs;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = *call.arguments[i].value;
    if (i == values.size()) values.push_back(evaluate(argument));
    inputs.push_back(frame_.array_expressions.node_of(values[i], argument));
  }
  auto result =
      frame_.array_expressions.combine(ArrayNode::Kind::function, std::string(function), std::move(inputs), span);
  std::const_pointer_cast<ArrayNode>(result)->of_cells = true;
  return frame_.array_expressions.number_or_array(result);
}

Value ArrayCalls::of_elements(const FunctionCall& of) {
  const auto& row = of.row();
  std::vector<const cell::Expression*> given;
  for (const auto& argument : of.call.arguments) {
    if (!argument.name.empty())
      throw error(ErrorKind::type, fmt::format("{}() has no argument named {}", row.name, argument.name),
                  argument.value->span);
    given.push_back(argument.value.get());
  }
  std::vector<Value> values;
  for (const auto* one : given) values.push_back(evaluate(*one));
  const bool of_elements =
      row.has(language::Trait::of_elements) && std::any_of(values.begin(), values.end(), [&](const Value& value) {
        const auto* number = std::get_if<language::ScalarValue>(&value);
        return has_device_operators(value) || (number != nullptr && language::is_complex(number->kind()));
      });
  if (!of_elements) {
    std::vector<language::ScalarValue> numbers;
    for (std::size_t i = 0; i < values.size(); ++i)
      numbers.push_back(number(values[i], given[i]->span, fmt::format("an argument of {}", row.name)));
    return language::call_numbers(of.name, numbers, where(of.span));
  }
  std::vector<ArrayNodePtr> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto input = frame_.array_expressions.node_of(values[i], *given[i]);
    if (!of.name.type.empty())
      input = frame_.array_expressions.combine(ArrayNode::Kind::cast, std::string(of.name.type), {std::move(input)},
                                               given[i]->span);
    inputs.push_back(std::move(input));
  }
  auto result = frame_.array_expressions.combine(
      ArrayNode::Kind::function, std::string(row.name) + (of.name.single ? "f" : ""), std::move(inputs), of.span);
  if (of.name.single) std::const_pointer_cast<ArrayNode>(result)->of_cells = true;  // CUDA's own
  return frame_.array_expressions.number_or_array(result);
}

}  // namespace xcuda::interpreter
