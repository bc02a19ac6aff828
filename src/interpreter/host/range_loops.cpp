#include "interpreter/host/range_loops.hpp"

#include <fmt/format.h>

#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

// The row or the element of a pass.
Pointer part_of(const Pointer& array, std::uint64_t pass) {
  auto part = array;
  std::int64_t step = 1;
  if (array.strides.empty()) {
    for (std::size_t d = 1; d < array.shape.size(); ++d) step *= static_cast<std::int64_t>(array.shape[d]);
  } else {
    step = array.strides.front();
    part.strides.erase(part.strides.begin());
  }
  const auto bytes = static_cast<std::int64_t>(pass) * step * static_cast<std::int64_t>(array.type.size);
  part.address += static_cast<device::Address>(bytes);
  part.bytes -= std::min(part.bytes, static_cast<std::uint64_t>(bytes));
  part.shape.erase(part.shape.begin());
  part.whole = false;
  return part;
}

}  // namespace

RangeLoops::Range RangeLoops::range_of(const cell::RangeFor& loop) {
  const auto& expression = *loop.range;
  if (const auto* list = std::get_if<cell::List>(&expression.node)) return {list, {}, {}, list->elements.size()};
  const bool changes = loop.variable.declarators.front().reference && !loop.variable.is_const;
  if (auto array = changes ? frame_.references.library_array(expression) : std::nullopt) {
    const auto count = array->shape.front();
    return {nullptr, std::move(*array), {}, count};
  }
  auto value = evaluate(expression);
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) value = frame_.arrays.evaluate(computed->node);
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::vector<Value> characters;
    for (const char c : *text) characters.push_back(language::ScalarValue::of(c));
    return {nullptr, {}, std::move(characters), text->size()};
  }
  if (const auto* object = std::get_if<Object>(&value);
      object != nullptr && cell::is_library_array(object->type.name)) {
    const auto elements = session_.code().members_of(object->type).front().shape.front();
    return {nullptr, {}, frame_.members.parts(value, elements, expression.span), elements};
  }
  if (const auto* object = std::get_if<Object>(&value); object != nullptr && cell::is_library_view(object->type.name)) {
    auto elements = frame_.library_values.elements(*object);
    const auto count = elements.shape.front();
    return {nullptr, std::move(elements), {}, count};
  }
  auto* array = std::get_if<Pointer>(&value);
  if (array == nullptr || array->shape.empty())
    throw language::not_iterable(frame_.text, form_of(value), expression.span);
  const auto count = array->shape.front();
  return {nullptr, std::move(*array), {}, count};
}

Value RangeLoops::element(const Range& range, std::uint64_t pass) {
  if (range.list != nullptr) return evaluate(*range.list->elements[pass]);
  if (!range.values.empty()) return range.values[pass];
  auto part = part_of(range.array, pass);
  return part.shape.empty() ? frame_.places.element(part) : Value(std::move(part));
}

void RangeLoops::bind(const cell::Declaration& variable, const Range& range, std::uint64_t pass) {
  const auto& declarator = variable.declarators.front();
  if (declarator.reference && !variable.is_const && !range.values.empty())
    throw error(ErrorKind::unsupported,
                fmt::format("{} cannot refer to an element of a std::array or a string", declarator.name),
                declarator.name_span)
        .advise("Loop over the index: for (int i = 0; i < v.size(); ++i) v[i] = 0;");
  if (declarator.reference && range.list == nullptr && range.values.empty())
    return frame_.references.bind(variable, declarator, part_of(range.array, pass));
  auto value = element(range, pass);
  const auto* number = std::get_if<language::ScalarValue>(&value);
  const auto type = xcuda::find_type(variable.type);
  if (number != nullptr && type && language::kind_of(*type)) value = language::convert(*number, *type);
  session_.arrays().undefine_here(declarator.name);
  session_.names().declare(declarator.name, {std::move(value), variable.is_const, run_.source.name});
}

}  // namespace xcuda::interpreter
