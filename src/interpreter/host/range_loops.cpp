#include "interpreter/host/range_loops.hpp"

#include <fmt/format.h>

#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/containers.hpp"
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

std::optional<char> RangeLoops::character(const Range& range, std::uint64_t pass) {
  const auto* text = range.text == nullptr ? nullptr : std::get_if<std::string>(&range.text->value);
  return text == nullptr || pass >= text->size() ? std::nullopt : std::optional((*text)[pass]);
}

RangeLoops::Pass::Pass(Session& session, const cell::RangeFor& loop, const Range& range, std::uint64_t number)
    : session_(session), loop_(loop), range_(range), number_(number), bound_(character(range, number)) {}

RangeLoops::Pass::~Pass() {
  if (!bound_ || !character(range_, number_)) return;
  const auto* variable = session_.names().find(loop_.variable.declarators.front().name);
  const auto* held = variable == nullptr ? nullptr : std::get_if<language::ScalarValue>(&variable->value);
  const auto now = held == nullptr ? *bound_ : static_cast<char>(held->as_signed());
  if (now != *bound_) std::get<std::string>(range_.text->value)[number_] = now;
}

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
    const auto* name = changes ? std::get_if<cell::Name>(&expression.node) : nullptr;
    auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    const bool holds = variable != nullptr && std::holds_alternative<std::string>(variable->value) &&
                       variable->written != session::kCharacters;
    const bool read_only = holds && variable->read_only;
    if (read_only && cell::type_word(loop.variable.type) != cell::TypeWord::automatic)
      throw language::is_constant(frame_.text, name->text, expression.span);
    return {nullptr, {}, std::move(characters), text->size(), holds && !read_only ? variable : nullptr, read_only};
  }
  if (const auto* container = std::get_if<Container>(&value)) {
    const auto* name = std::get_if<cell::Name>(&expression.node);
    const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    auto at = frame_.containers.beginning(*container);
    const auto count = container->data->size();
    return {nullptr, {}, {}, count, nullptr, variable != nullptr && variable->read_only, std::move(at)};
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

bool RangeLoops::goes_on(Range& range, std::uint64_t pass, cell::Span span) {
  if (!range.at) return pass < range.count;
  range.item = frame_.containers.visited(*range.at, pass, range.count, span);
  return range.item != nullptr;
}

Value RangeLoops::element(const Range& range, std::uint64_t pass) {
  if (range.list != nullptr) return evaluate(*range.list->elements[pass]);
  if (const auto now = character(range, pass)) return language::ScalarValue::of(*now);
  if (!range.values.empty()) return range.values[pass];
  auto part = part_of(range.array, pass);
  return part.shape.empty() ? frame_.places.element(part) : Value(std::move(part));
}

void RangeLoops::bind(const cell::Declaration& variable, const Range& range, std::uint64_t pass) {
  const auto& declarator = variable.declarators.front();
  if (range.item != nullptr)
    return frame_.containers.bind(
        variable, declarator, range.item,
        variable.is_const || range.read_only ? Containers::Access::reads : Containers::Access::changes);
  if (declarator.reference && !variable.is_const && !range.values.empty() && range.text == nullptr && !range.read_only)
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
  session_.names().declare(declarator.name, {std::move(value), variable.is_const || range.read_only, run_.source.name});
}

}  // namespace xcuda::interpreter
