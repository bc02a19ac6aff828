// Functions of arrays: reductions, shapes, where, map, and functions of the elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "arrays/array_math.hpp"
#include "arrays/function_object.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/executor.hpp"

namespace xcuda::interpreter {
namespace {

using Parameters = std::vector<std::string_view>;

struct Reduction {
  std::string_view name, reducer;
};
constexpr Reduction kReductionNames[] = {
    {"sum", "Sum"},       {"prod", "Prod"},      {"min", "Min"},        {"max", "Max"}, {"argmin", "ArgMin"},
    {"argmax", "ArgMax"}, {"mean", "Mean"},      {"any", "Any"},        {"all", "All"}, {"count", "CountOf"},
    {"var", "Mean"},      {"std", "RootOfMean"}, {"norm", "RootOfSum"}, {"dot", "Sum"},
};

const Reduction* find_reduction(std::string_view name) {
  const auto found = std::find_if(std::begin(kReductionNames), std::end(kReductionNames),
                                  [&](const Reduction& row) { return row.name == name; });
  return found == std::end(kReductionNames) ? nullptr : &*found;
}

std::string reducer_text(std::string_view reducer) { return fmt::format("xcuda::{}<xcuda_Own>", reducer); }

// max(x) and max(x, axis = 0) reduce, max(x, y) compares elements.
bool reduces(const cell::Call& call, std::string_view function) {
  if (function != "min" && function != "max") return true;
  return call.arguments.size() == 1 || std::any_of(call.arguments.begin(), call.arguments.end(),
                                                   [](const auto& argument) { return !argument.name.empty(); });
}

ArrayNodePtr real_node(double value, cell::Span span) { return scalar_node(cell::Value::of(value), span); }

}  // namespace

ArrayNodePtr Executor::array_argument(const cell::Expression* expression, std::string_view function,
                                      std::string_view parameter, cell::Span span) {
  if (expression == nullptr)
    throw error(ErrorKind::type, fmt::format("{}() takes an array: its argument {} is missing", function, parameter),
                span);
  const auto value = evaluate(*expression);
  auto node = array_of(value, *expression);
  if (node == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{}() takes an array, and {} is none", function, snippet(run_.source, expression->span)),
                expression->span);
  return node;
}

Value Executor::number_of(Pointer result) {
  result.shape.clear();
  return element(result);
}

Value Executor::reduction(const cell::Call& call, std::string_view function, cell::Span span) {
  const bool deviation = function == "var" || function == "std";
  Parameters parameters = {"x", "axis", "keep"};
  if (function == "dot")
    parameters = {"x", "y"};
  else if (deviation)
    parameters.emplace_back("ddof");
  const auto given = bind_arguments(run_, function, call.arguments, parameters);
  ReduceRequest request;
  request.node = array_argument(given[0], function, parameters[0], span);
  request.reducer = reducer_text(find_reduction(function)->reducer);
  if (function == "dot") {
    const auto other = array_argument(given[1], function, "y", span);
    if (other->shape != request.node->shape)
      throw error(
          ErrorKind::value,
          fmt::format("dot() takes two arrays of one shape: {} is {}, {} is {}", snippet(run_.source, given[0]->span),
                      shape_text(request.node->shape), snippet(run_.source, given[1]->span), shape_text(other->shape)),
          span);
    request.node =
        std::get<ArrayExpression>(combine(ArrayNode::Kind::function, "xcuda::dot_term", {request.node, other}, span))
            .node;
    return number_of(frame_.arrays.reduce(request));
  }
  if (given[1] != nullptr) {
    const auto axis = number(*given[1], "axis");
    const auto rank = request.node->shape.size();
    if (!axis.is_integer() || axis.is_negative() || axis.as_unsigned() >= rank)
      throw error(ErrorKind::value,
                  fmt::format("axis is {}, and {} has {} ax{}: 0{}", axis.text(), snippet(run_.source, given[0]->span),
                              rank, rank == 1 ? "is" : "es in all", rank == 1 ? "" : fmt::format(" to {}", rank - 1)),
                  given[1]->span);
    request.axis = axis.as_unsigned();
  }
  const bool keep = given[2] != nullptr && number(*given[2], "keep").truth();
  if (keep) request.keep = ReduceRequest::Keep::yes;
  if (function == "norm")
    request.node =
        std::get<ArrayExpression>(combine(ArrayNode::Kind::function, "xcuda::square_term", {request.node}, span)).node;
  std::uint64_t extent = request.axis ? request.node->shape[*request.axis] : count_of(request.node->shape);
  double ddof = 0;
  if (deviation) {
    if (given[3] != nullptr) ddof = number(*given[3], "ddof").as_real();
    if (!(ddof < static_cast<double>(extent)))
      throw error(ErrorKind::value, fmt::format("{}() of {} elements needs a ddof below that", function, extent), span);
    // The mean first, then the distances from it: exact also where the mean is large.
    auto mean = request;
    mean.reducer = reducer_text("Mean");
    if (request.axis) mean.keep = ReduceRequest::Keep::yes;
    auto around = frame_.arrays.reduce(mean);
    if (!request.axis) around.shape.assign(request.node->shape.size(), 1);
    request.node = std::get<ArrayExpression>(combine(ArrayNode::Kind::function, "xcuda::deviation_term",
                                                     {request.node, array_node(around, span)}, span))
                       .node;
    if (ddof != 0) request.reducer = reducer_text("Sum");
  }
  auto result = frame_.arrays.reduce(request);
  const double over = static_cast<double>(extent) - ddof;
  if (!request.axis) {
    const auto value = number_of(result);
    const auto* number = std::get_if<cell::Value>(&value);
    if (ddof == 0 || number == nullptr) return value;
    return cell::Value::of(function == "var" ? number->as_real() / over : std::sqrt(number->as_real() / over));
  }
  if (ddof == 0) return result;
  auto variance = combine(ArrayNode::Kind::binary, "/", {array_node(result, span), real_node(over, span)}, span);
  return function == "var"
             ? variance
             : combine(ArrayNode::Kind::function, "sqrt", {std::get<ArrayExpression>(variance).node}, span);
}

bool Executor::is_math(std::string_view function) {
  return !session_.program().is_function(function) && is_element_function(function);
}

// A function of device code, a function of <cmath>, a lambda or a function object, as the device calls it.
std::string Executor::function_argument(const cell::Expression* expression, std::string_view function,
                                        cell::Span span) {
  if (expression == nullptr)
    throw error(ErrorKind::type, fmt::format("{}() takes a function of device code", function), span);
  const auto* name = std::get_if<cell::Name>(&expression->node);
  if (name != nullptr && (session_.program().is_function(name->text) || is_element_function(name->text) ||
                          is_device_intrinsic(name->text)))
    return name->text;
  if (auto object = function_object(*expression);
      !object.text.empty() && (object.type.empty() || names_a_type(object.type.substr(0, object.type.find('<')))))
    return std::move(object.text);
  throw error(ErrorKind::name, fmt::format("{} is no function of device code", snippet(run_.source, expression->span)),
              expression->span)
      .advise(
          "Define it, __device__ float f(float a, float b) { return ...; }, or write it here: [](float a, float b) { "
          "return ...; }");
}

// reduce(x, init, op)
Value Executor::folded(const cell::Call& call, cell::Span span) {
  const auto given = bind_arguments(run_, "reduce", call.arguments, Parameters{"x", "init", "op"});
  ReduceRequest request;
  request.node = array_argument(given[0], "reduce", "x", span);
  if (given[1] == nullptr) throw error(ErrorKind::type, "reduce() takes an initial value: reduce(x, init, op)", span);
  const auto init = evaluate(*given[1]);
  const auto first = node_of(init, *given[1]);
  const auto op = function_argument(given[2], "reduce", span);
  const bool math = is_math(op);
  const auto* number = std::get_if<cell::Value>(&init);
  const auto* object = std::get_if<Object>(&init);
  if (number == nullptr && object == nullptr)
    throw error(ErrorKind::type, "the initial value of reduce() is a number or an object", given[1]->span);
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
  return number_of(frame_.arrays.evaluate(result));
}

// map(n, f, ...), map({rows, columns}, f, ...): element i is f(i, ...); arrays are given as pointers.
Value Executor::mapped(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() < 2)
    throw error(ErrorKind::type, "map() takes an extent and a function: map(n, f), map({rows, columns}, f, x)", span);
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
  const auto function = function_argument(call.arguments[1].value.get(), "map", span);
  std::vector<ArrayNodePtr> inputs;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto index = std::make_shared<ArrayNode>();
    index->kind = ArrayNode::Kind::index;
    index->dimension = static_cast<int>(d);
    index->span = span;
    inputs.push_back(std::move(index));
  }
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    const auto& argument = *call.arguments[i].value;
    const auto value = evaluate(argument);
    const auto node = node_of(value, argument);
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
  std::const_pointer_cast<ArrayNode>(node)->of_cells = !is_math(function);
  return ArrayExpression{node};
}

// reshape(x, e0, e1, ...), reshape(x, {e0, e1, ...})
Value Executor::reshaped(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() < 2)
    throw error(ErrorKind::type, "reshape() takes an array and its new extents: reshape(x, 4, 512)", span);
  const auto node = array_argument(call.arguments[0].value.get(), "reshape", "x", span);
  Shape shape;
  std::vector<const cell::Expression*> extents;
  const auto* list = std::get_if<cell::List>(&call.arguments[1].value->node);
  if (list != nullptr && call.arguments.size() == 2)
    for (const auto& one : list->elements) extents.push_back(one.get());
  else
    for (std::size_t i = 1; i < call.arguments.size(); ++i) extents.push_back(call.arguments[i].value.get());
  if (extents.size() > kMaxExtents) throw frame_.dimensions.too_many("the result of reshape()", extents.size(), span);
  for (const auto* extent : extents) {
    const auto value = number(*extent, "an extent");
    if (!value.is_integer() || value.is_negative() || value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of reshape() is {}", value.text()), extent->span)
          .advise("Each is a number of at least 1; together they have as many elements as the array.");
    shape.push_back(value.as_unsigned());
  }
  if (count_of(shape) != count_of(node->shape))
    throw error(ErrorKind::value,
                fmt::format("{} has {} elements, and {} has {}", snippet(run_.source, call.arguments[0].value->span),
                            count_of(node->shape), shape_text(shape), count_of(shape)),
                span);
  auto view = frame_.arrays.contiguous(frame_.arrays.evaluate(node));
  view.shape = std::move(shape);
  view.strides.clear();
  view.whole = false;
  return view;
}

// std::size(x), as C++ has it of an array: the first extent.
Value Executor::first_extent(const cell::Call& call, std::string_view function, cell::Span span) {
  const auto given = bind_arguments(run_, function, call.arguments, Parameters{"x"});
  const auto extent = array_argument(given[0], function, "x", span)->shape.front();
  return function == "size" ? cell::Value::of(extent) : cell::Value::of(static_cast<std::int64_t>(extent));
}

// transpose(x), reverse(x): the same memory seen in another order.
Value Executor::turned(const cell::Call& call, std::string_view function, cell::Span span) {
  const auto given = bind_arguments(run_, function, call.arguments, Parameters{"x"});
  auto view = frame_.arrays.evaluate(array_argument(given[0], function, "x", span));
  view.strides = strides_of(view);
  view.whole = false;
  if (function == "transpose") {
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

Value Executor::chosen(const cell::Call& call, cell::Span span) {
  const auto given = bind_arguments(run_, "where", call.arguments, Parameters{"condition", "yes", "no"});
  if (given[1] == nullptr || given[2] == nullptr)
    throw error(ErrorKind::type, "where() takes a condition and two values: where(x > 0, x, 0)", span);
  std::vector<ArrayNodePtr> inputs;
  for (const auto* one : given) {
    const auto value = evaluate(*one);
    inputs.push_back(node_of(value, *one));
  }
  if (std::all_of(inputs.begin(), inputs.end(), [](const auto& input) { return input->shape.empty(); }))
    throw error(ErrorKind::type, "where() takes arrays; of numbers write condition ? yes : no", span);
  return combine(ArrayNode::Kind::ternary, "?", std::move(inputs), span);
}

// scan(x), scan(x, op), scan(x, op, init, inclusive)
Value Executor::scanned(const cell::Call& call, cell::Span span) {
  const auto given = bind_arguments(run_, "scan", call.arguments, Parameters{"x", "op", "init", "inclusive"});
  const auto node = array_argument(given[0], "scan", "x", span);
  if (node->shape.size() != 1)
    throw error(ErrorKind::unsupported,
                fmt::format("scan() takes one dimension, and {} has {}", snippet(run_.source, given[0]->span),
                            node->shape.size()),
                given[0]->span);
  const bool inclusive = given[3] == nullptr || number(*given[3], "inclusive").truth();
  const auto kind = inclusive ? ScanRequest::Kind::inclusive : ScanRequest::Kind::exclusive;
  const auto init = given[2] == nullptr ? nullptr : node_of(evaluate(*given[2]), *given[2]);
  if (given[1] == nullptr && init == nullptr)
    return frame_.arrays.running_sum(node, kind, "xcuda::SumOf<xcuda_Own>::Result");
  ScanRequest request{node, kind};
  request.init = init;
  if (init != nullptr && init->kind == ArrayNode::Kind::literal)
    request.init = scalar_node(number(*given[2], "init"), given[2]->span);
  if (given[1] == nullptr) {
    request.state = "xcuda::SumOf<xcuda_Own>::State";
    request.result = "xcuda::SumOf<xcuda_Own>::Result";
    request.function =
        "struct xcuda_Function { template <class T> __device__ __forceinline__ T operator()(const T& a, const T& b) "
        "const { return a + b; } };\n";
    return frame_.arrays.scan(request);
  }
  if (!inclusive && init == nullptr)
    throw error(ErrorKind::type,
                "an exclusive scan with a function needs an init: what stands in front of the first element", span);
  const auto op = function_argument(given[1], "scan", span);
  const bool math = is_math(op);
  request.state = request.result = request.init != nullptr ? request.init->array.type.name : "xcuda_Own";
  request.names = math ? "" : op;
  request.function = fmt::format(
      "struct xcuda_Function {{ template <class A, class B> __device__ __forceinline__ auto operator()(const A& a, "
      "const B& b) const {{ return {}(a, b); }} }};\n",
      math ? fmt::format("xcuda::math::{}", without_std(op)) : op);
  return frame_.arrays.scan(request);
}

// sort(x), argsort(x), unique(x)
Value Executor::sorted(const cell::Call& call, std::string_view function, cell::Span span) {
  const auto given = bind_arguments(run_, function, call.arguments, Parameters{"x"});
  const auto node = array_argument(given[0], function, "x", span);
  if (node->shape.size() != 1 && function != "unique")
    throw error(ErrorKind::unsupported,
                fmt::format("{}() takes one dimension, and {} has {}", function, snippet(run_.source, given[0]->span),
                            node->shape.size()),
                given[0]->span)
        .advise("One row is x[i]; reshape(x, n) is all elements in a row.");
  auto x = frame_.arrays.contiguous(frame_.arrays.evaluate(node));
  x.shape = {count_of(x.shape)};
  if (x.type.scalar == Scalar::none || x.type.lanes > 1 || x.type.scalar >= Scalar::complex64)
    throw error(ErrorKind::type, fmt::format("{}() takes numbers, and the elements are {}", function, x.type.name),
                given[0]->span);
  if (x.shape[0] >= std::uint64_t{1} << 32)
    throw error(ErrorKind::unsupported, fmt::format("{}() takes fewer than 2^32 elements", function), given[0]->span);
  if (function == "unique") return frame_.arrays.unique(x, span);
  if (function == "argsort") return frame_.arrays.sort(x, ArrayMath::SortKeep::order).order;
  return frame_.arrays.sort(x, ArrayMath::SortKeep::values).values;
}

// histogram(x, bins = 10, lo = min(x), hi = max(x))
Value Executor::counted(const cell::Call& call, cell::Span span) {
  const auto given = bind_arguments(run_, "histogram", call.arguments, Parameters{"x", "bins", "lo", "hi"});
  const auto node = array_argument(given[0], "histogram", "x", span);
  std::uint32_t bins = 10;
  if (given[1] != nullptr) bins = frame_.dimensions.extent(*given[1], "bins");
  if (bins == 0) throw error(ErrorKind::value, "histogram() takes at least one bin", given[1]->span);
  const auto bound = [&](const cell::Expression* expression, std::string_view reducer) {
    if (expression != nullptr) return number(*expression, "a bound").as_real();
    return number(number_of(frame_.arrays.reduce({node, reducer_text(reducer), {}, {}, {}, {}})), span, "a bound")
        .as_real();
  };
  const double low = bound(given[2], "Min"), high = bound(given[3], "Max");
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high))
    throw error(ErrorKind::value, fmt::format("there are no bins from {} to {}", low, high), span);
  return frame_.arrays.histogram(node, bins, low == high ? low - 0.5 : low, low == high ? high + 0.5 : high);
}

// A function of the elements: of <cmath>, or of device code.
std::optional<Value> Executor::element_call(const cell::Call& call, std::string_view function, cell::Span span) {
  const bool of_cells = session_.program().is_function(function);
  const bool intrinsic = !of_cells && is_device_intrinsic(function);
  if (!of_cells && !intrinsic && !is_element_function(function)) return std::nullopt;
  std::vector<Value> values;
  for (const auto& argument : call.arguments) {
    if (!argument.name.empty())
      throw error(ErrorKind::type, fmt::format("{}() has no argument named {}", function, argument.name),
                  argument.value->span);
    values.push_back(evaluate(*argument.value));
  }
  const bool of_numbers = std::none_of(values.begin(), values.end(), [&](const Value& value) {
    const auto* number = std::get_if<cell::Value>(&value);
    return has_device_operators(value) || (number != nullptr && cell::is_complex(number->kind()));
  });
  if (!of_cells && !function.starts_with("__") && of_numbers) {
    if (!cell::is_scalar_function(function)) return std::nullopt;
    std::vector<cell::Value> numbers;
    for (std::size_t i = 0; i < values.size(); ++i)
      numbers.push_back(number(values[i], call.arguments[i].value->span, fmt::format("an argument of {}", function)));
    return cell::call_scalar_function(function, numbers, where(span));
  }
  std::vector<ArrayNodePtr> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) inputs.push_back(node_of(values[i], *call.arguments[i].value));
  const auto result = combine(ArrayNode::Kind::function, std::string(function), std::move(inputs), span);
  const auto& node = std::get<ArrayExpression>(result).node;
  std::const_pointer_cast<ArrayNode>(node)->of_cells = of_cells || intrinsic;
  return number_or_array(result);  // device code may be called with numbers, too
}

// Nothing when the function is none of arrays and no argument is one.
std::optional<Value> Executor::array_call(const cell::Call& call, std::string_view function, cell::Span span) {
  if (session_.program().is_function(function)) return element_call(call, function, span);
  if (find_reduction(function) != nullptr && reduces(call, function)) return reduction(call, function, span);
  if (function == "reduce") return folded(call, span);
  if (function == "map") return mapped(call, span);
  if (function == "reshape") return reshaped(call, span);
  if (function == "size" || function == "ssize") return first_extent(call, function, span);
  if (function == "transpose" || function == "reverse") return turned(call, function, span);
  if (function == "where") return chosen(call, span);
  if (function == "scan") return scanned(call, span);
  if (function == "sort" || function == "argsort" || function == "unique") return sorted(call, function, span);
  if (function == "histogram") return counted(call, span);
  if (function == "allclose") return cell::Value::of(all_close(call, span));
  return element_call(call, function, span);
}

}  // namespace xcuda::interpreter
