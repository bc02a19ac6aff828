#include "interpreter/composed/given_arguments.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "interpreter/array_expressions.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/members.hpp"

namespace xcuda::interpreter {

const cell::Expression* GivenArguments::find(std::string_view parameter) const {
  return language::given(of_.call, of_.row(), parameter);
}

const cell::Expression& GivenArguments::expression(std::string_view parameter) const { return *find(parameter); }

ArrayNodePtr GivenArguments::array(std::string_view parameter) {
  return frame_.call_arguments.array(expression(parameter), of_);
}

Pointer GivenArguments::view(std::string_view parameter) {
  const auto node = array(parameter);
  return node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node);
}

std::vector<Pointer> views_of_all(GivenArguments& given) {
  std::vector<Pointer> all;
  for (const auto& argument : given.of_.call.arguments) {
    const auto node = given.frame_.call_arguments.array(*argument.value, given.of_);
    all.push_back(node->kind == ArrayNode::Kind::array ? node->array : given.frame_.arrays.evaluate(node));
  }
  return all;
}

std::vector<Pointer> GivenArguments::list(std::string_view parameter) {
  const auto& given = expression(parameter);
  const auto* list = std::get_if<cell::List>(&given.node);
  if (list == nullptr || list->elements.empty())
    throw wrong_type(fmt::format("{}() takes a list of arrays", of_.row().name), parameter)
        .advise(fmt::format("{}({{a, b}})", of_.row().name));
  std::vector<Pointer> result;
  for (const auto& one : list->elements) {
    const auto node = frame_.call_arguments.array(*one, of_);
    result.push_back(node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node));
  }
  return result;
}

ArrayNodePtr GivenArguments::value(std::string_view parameter) {
  const auto& given = expression(parameter);
  return frame_.array_expressions.node_of(Part::evaluate(given), given);
}

Pointer GivenArguments::values(std::string_view parameter) {
  const auto node = value(parameter);
  return node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node);
}

language::ScalarValue GivenArguments::number(std::string_view parameter) {
  return Part::number(expression(parameter), parameter);
}

double GivenArguments::real(std::string_view parameter, double otherwise) {
  return find(parameter) == nullptr ? otherwise : number(parameter).as_real();
}

std::string GivenArguments::text(std::string_view parameter, std::string otherwise) {
  const auto* given = find(parameter);
  if (given == nullptr) return otherwise;
  if (const auto* text = std::get_if<cell::StringLiteral>(&given->node)) return text->value;
  throw wrong_type(fmt::format("{} is not a string", parameter), parameter);
}

std::string GivenArguments::choice(std::string_view parameter) {
  const auto choices = language::choices_of(of_.row(), parameter);
  auto word = text(parameter, std::string(choices.front()));
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return word;
  std::string advice;
  for (std::size_t i = 0; i < choices.size(); ++i)
    advice += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
  throw wrong(fmt::format("{} is \"{}\"", parameter, word), parameter).advise(advice);
}

std::int64_t GivenArguments::integer(std::string_view parameter, std::int64_t otherwise) {
  if (find(parameter) == nullptr) return otherwise;
  const auto value = number(parameter);
  if (!value.is_integer())
    throw wrong_type(fmt::format("{} is {}, not an integer", parameter, value.type().name), parameter);
  return value.as_signed();
}

bool GivenArguments::truth(std::string_view parameter) {
  return find(parameter) != nullptr && number(parameter).truth();
}

std::size_t GivenArguments::axis(std::string_view parameter, std::size_t rank, std::int64_t otherwise) {
  const auto end = static_cast<std::int64_t>(rank);
  const auto axis = integer(parameter, otherwise);
  if (axis < -end || axis >= end)
    throw wrong(fmt::format("{} is {}, but there {} {} ax{}", parameter, axis, rank == 1 ? "is" : "are", rank,
                            rank == 1 ? "is" : "es"),
                parameter);
  return static_cast<std::size_t>(axis < 0 ? axis + end : axis);
}

std::optional<std::size_t> GivenArguments::axis_if_given(std::string_view parameter, std::size_t rank) {
  return find(parameter) == nullptr ? std::nullopt : std::optional(axis(parameter, rank, 0));
}

std::optional<std::vector<std::int64_t>> GivenArguments::integers(std::string_view parameter) {
  const auto* given = find(parameter);
  return given == nullptr ? std::nullopt : std::optional(integers_of(*given, parameter));
}

std::vector<std::int64_t> GivenArguments::integers_of(const cell::Expression& given, std::string_view what) {
  std::vector<const cell::Expression*> parts{&given};
  if (const auto* list = std::get_if<cell::List>(&given.node)) {
    parts.clear();
    for (const auto& one : list->elements) parts.push_back(one.get());
  }
  std::vector<std::int64_t> numbers;
  for (const auto* part : parts) {
    const auto value = number_of(*part, what);
    if (!value.is_integer())
      throw error(ErrorKind::type, fmt::format("{} are integers, but one is {}", what, value.text()), part->span);
    numbers.push_back(value.as_signed());
  }
  return numbers;
}

std::vector<std::size_t> GivenArguments::axes(std::string_view parameter, std::size_t rank,
                                              std::vector<std::int64_t> otherwise) {
  if (auto given = integers(parameter)) otherwise = std::move(*given);
  return axes(otherwise, rank, parameter);
}

std::vector<std::size_t> axes_from(GivenArguments& given, std::size_t first, std::size_t rank) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = first; i < given.of_.call.arguments.size(); ++i) {
    const auto some = given.integers_of(*given.of_.call.arguments[i].value, "the axes");
    numbers.insert(numbers.end(), some.begin(), some.end());
  }
  return given.axes(numbers, rank, {});
}

std::vector<std::size_t> GivenArguments::axes(std::span<const std::int64_t> numbers, std::size_t rank,
                                              std::string_view parameter) {
  const auto end = static_cast<std::int64_t>(rank);
  std::vector<std::size_t> result;
  for (const auto axis : numbers) {
    if (axis < -end || axis >= end)
      throw wrong(fmt::format("{}() along axis {}: x has {} ax{}", of_.row().name, axis, rank, rank == 1 ? "is" : "es"),
                  parameter);
    const auto one = static_cast<std::size_t>(axis < 0 ? axis + end : axis);
    if (std::find(result.begin(), result.end(), one) != result.end())
      throw wrong(fmt::format("axis {} is named twice", one), parameter);
    result.push_back(one);
  }
  return result;
}

language::ScalarValue GivenArguments::extent(const cell::Expression& expression, std::string_view what) {
  auto value = Part::number(expression, what);
  if (value.is_integer() && !value.is_negative()) return value;
  throw error(ErrorKind::value, fmt::format("{} is {}: expected an integer of at least 0", what, value.text()),
              expression.span);
}

Shape GivenArguments::extents(std::size_t first, std::size_t last) {
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

std::optional<Type> GivenArguments::element_type() const {
  if (of_.name.type.empty()) return std::nullopt;
  return session_.code().find_type(run_.source, std::string(of_.name.type), of_.span);
}

Error GivenArguments::wrong(std::string message, std::string_view parameter) const {
  const auto* given = parameter.empty() ? nullptr : find(parameter);
  return error(ErrorKind::value, std::move(message), given != nullptr ? given->span : of_.span);
}

Error GivenArguments::not_in_graph() const {
  return error(ErrorKind::unsupported,
               fmt::format("{}() cannot be part of a graph: what it finds decides what runs next", of_.row().name),
               of_.span)
      .advise("Put this statement into its own cell, before or after this one.");
}

Error GivenArguments::wrong_type(std::string message, std::string_view parameter) const {
  return error(ErrorKind::type, std::move(message), find(parameter) != nullptr ? find(parameter)->span : of_.span);
}

}  // namespace xcuda::interpreter
