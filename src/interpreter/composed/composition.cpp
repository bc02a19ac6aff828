#include "interpreter/composed/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "interpreter/array_expressions.hpp"
#include "interpreter/call_arguments.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/members.hpp"
#include "interpreter/places.hpp"
#include "interpreter/subscripts.hpp"

namespace xcuda::interpreter {

namespace {

const ComposedFunction* find_composed(Operation operation) {
  static const auto table = [] {
    std::unordered_map<Operation, const ComposedFunction*> operations;
    for (const auto functions : {composed_shapes(), composed_new_arrays(), composed_series(), composed_samples()})
      for (const auto& one : functions) operations.emplace(one.operation, &one);
    return operations;
  }();
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

ResultList only(Value value) {
  ResultList list;
  list.push_back(std::move(value));
  return list;
}

bool has_evaluator(Operation operation) { return find_composed(operation) != nullptr; }

ResultList evaluate_composed(Frame& frame, const FunctionCall& of) {
  frame.call_arguments.bound(of);  // what is missing or unknown is an error
  const auto* function = find_composed(of.row().operation);
  if (function == nullptr) throw Error(ErrorKind::internal, fmt::format("{}() has no evaluator", of.row().name));
  Composition composition(frame, of);
  return function->evaluate(composition);
}

Composition::Composition(Frame& frame, const FunctionCall& of) : Part(frame), of_(of) {}

// --- arguments -------------------------------------------------------------------------------------------------------

const cell::Expression* Composition::find(std::string_view parameter) const {
  return language::given(of_.call, of_.row(), parameter);
}

const cell::Expression& Composition::expression(std::string_view parameter) const { return *find(parameter); }

ArrayNodePtr Composition::array(std::string_view parameter) {
  return frame_.call_arguments.array(expression(parameter), of_);
}

Pointer Composition::view(std::string_view parameter) {
  const auto node = array(parameter);
  return node->kind == ArrayNode::Kind::array ? node->array : arrays().evaluate(node);
}

std::vector<Pointer> Composition::list(std::string_view parameter) {
  const auto& given = expression(parameter);
  const auto* list = std::get_if<cell::List>(&given.node);
  if (list == nullptr || list->elements.empty())
    throw wrong_type(fmt::format("{}() takes a list of arrays", of_.row().name), parameter)
        .advise(fmt::format("{}({{a, b}})", of_.row().name));
  std::vector<Pointer> result;
  for (const auto& one : list->elements) {
    const auto node = frame_.call_arguments.array(*one, of_);
    result.push_back(node->kind == ArrayNode::Kind::array ? node->array : arrays().evaluate(node));
  }
  return result;
}

ArrayNodePtr Composition::value(std::string_view parameter) {
  const auto& given = expression(parameter);
  return frame_.array_expressions.node_of(Part::evaluate(given), given);
}

cell::Value Composition::number(std::string_view parameter) { return Part::number(expression(parameter), parameter); }

double Composition::real(std::string_view parameter, double otherwise) {
  return find(parameter) == nullptr ? otherwise : number(parameter).as_real();
}

std::int64_t Composition::integer(std::string_view parameter, std::int64_t otherwise) {
  if (find(parameter) == nullptr) return otherwise;
  const auto value = number(parameter);
  if (!value.is_integer())
    throw wrong_type(fmt::format("{} is {}, not an integer", parameter, value.type().name), parameter);
  return value.as_signed();
}

bool Composition::truth(std::string_view parameter) { return find(parameter) != nullptr && number(parameter).truth(); }

std::size_t Composition::axis(std::string_view parameter, std::size_t rank, std::int64_t otherwise) {
  const auto end = static_cast<std::int64_t>(rank);
  const auto axis = integer(parameter, otherwise);
  if (axis < -end || axis >= end)
    throw wrong(fmt::format("{} is {}, but there {} {} ax{}", parameter, axis, rank == 1 ? "is" : "are", rank,
                            rank == 1 ? "is" : "es"),
                parameter);
  return static_cast<std::size_t>(axis < 0 ? axis + end : axis);
}

std::optional<std::size_t> Composition::axis_if_given(std::string_view parameter, std::size_t rank) {
  return find(parameter) == nullptr ? std::nullopt : std::optional(axis(parameter, rank, 0));
}

cell::Value Composition::extent(const cell::Expression& expression, std::string_view what) {
  auto value = Part::number(expression, what);
  if (value.is_integer() && !value.is_negative()) return value;
  throw error(ErrorKind::value, fmt::format("{} is {}: expected an integer of at least 0", what, value.text()),
              expression.span);
}

Pointer Composition::taken(const Pointer& x, std::size_t axis, const Pointer& index) {
  return frame_.subscripts.along(x, axis, index, of_.span);
}

Shape Composition::extents(std::size_t first, std::size_t last) {
  std::vector<const cell::Expression*> given;
  Shape shape;
  for (std::size_t i = first; i < std::min(last, of_.call.arguments.size()); ++i) {
    const auto& argument = of_.call.arguments[i];
    if (!argument.name.empty() && argument.name != "n") continue;
    if (const auto* list = std::get_if<cell::List>(&argument.value->node))
      for (const auto& one : list->elements) given.push_back(one.get());
    else if (const auto whole = frame_.members.shape_of(*argument.value))
      shape.insert(shape.end(), whole->begin(), whole->end());
    else
      given.push_back(argument.value.get());
  }
  for (const auto* one : given)
    shape.push_back(extent(*one, fmt::format("an extent of {}()", of_.row().name)).as_unsigned());
  if (shape.size() > kMaxExtents)
    throw frame_.dimensions.too_many(fmt::format("the result of {}()", of_.row().name), shape.size(), of_.span);
  std::uint64_t count = 1;
  for (const auto extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) throw wrong("the extents overflow 64 bits");
  return shape;
}

std::optional<Type> Composition::element_type() const {
  if (of_.name.type.empty()) return std::nullopt;
  return session_.code().find_type(run_.source, std::string(of_.name.type), of_.span);
}

// --- nodes -----------------------------------------------------------------------------------------------------------

ArrayNodePtr Composition::index(std::size_t dimension) const {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::index;
  node->dimension = static_cast<int>(dimension);
  node->span = of_.span;
  return node;
}

ArrayNodePtr Composition::pointer(const Pointer& pointer) const {
  auto node = std::make_shared<ArrayNode>();
  node->kind = ArrayNode::Kind::pointer;
  node->array = pointer;
  node->span = of_.span;
  return node;
}

ArrayNodePtr Composition::binary(cell::BinaryOperator op, ArrayNodePtr a, ArrayNodePtr b) {
  return frame_.array_expressions.combine(op, {std::move(a), std::move(b)}, of_.span);
}

ArrayNodePtr Composition::choose(ArrayNodePtr condition, ArrayNodePtr yes, ArrayNodePtr no) {
  return frame_.array_expressions.combine(ArrayNode::Kind::ternary, "?",
                                          {std::move(condition), std::move(yes), std::move(no)}, of_.span);
}

ArrayNodePtr Composition::cast(std::string_view type, ArrayNodePtr x) {
  return frame_.array_expressions.combine(ArrayNode::Kind::cast, std::string(type), {std::move(x)}, of_.span);
}

ArrayNodePtr Composition::apply(std::string_view function, std::vector<ArrayNodePtr> inputs) {
  return frame_.array_expressions.combine(ArrayNode::Kind::function, std::string(function), std::move(inputs),
                                          of_.span);
}

ArrayNodePtr Composition::apply(std::string_view function, std::vector<ArrayNodePtr> inputs, Shape shape) {
  return apply_node(ArrayNode::Kind::function, std::string(function), std::move(inputs), std::move(shape), of_.span);
}

// --- results ---------------------------------------------------------------------------------------------------------

Pointer Composition::row_of(const Pointer& x) {
  auto row = contiguous(x);
  row.whole = false;
  row.shape = {count_of(x.shape)};
  row.strides.clear();
  return row;
}

Pointer Composition::make(const Type& type, const Shape& shape) { return arrays().temporary(type, shape); }

Pointer Composition::filled(const Type& type, Shape shape, const cell::Value& value) {
  auto result = make(type, std::move(shape));
  store(scalar_node(value, of_.span), result);
  return result;
}

Pointer Composition::reduce(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis,
                            ReduceRequest::Keep keep) {
  return arrays().reduce({node, fmt::format("xcuda::{}<xcuda_Own>", reducer), axis, keep, {}, {}});
}

cell::Value Composition::reduced(const ArrayNodePtr& node, std::string_view reducer) {
  return Part::number(frame_.array_expressions.number_of(reduce(node, reducer)), of_.span, "a reduction");
}

Value Composition::first_result() {
  auto one = of_;
  one.results = 1;
  return frame_.calls.of_language(one);
}

Value Composition::number_or_array(Pointer pointer) {
  return frame_.array_expressions.number_or_elements(std::move(pointer));
}

Error Composition::wrong(std::string message, std::string_view parameter) const {
  const auto* given = parameter.empty() ? nullptr : find(parameter);
  return error(ErrorKind::value, std::move(message), given != nullptr ? given->span : of_.span);
}

Error Composition::wrong_type(std::string message, std::string_view parameter) const {
  return error(ErrorKind::type, std::move(message), find(parameter) != nullptr ? find(parameter)->span : of_.span);
}

}  // namespace xcuda::interpreter
