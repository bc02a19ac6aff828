#include "interpreter/native/text_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/host/host_texts.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {
namespace {

Variable* text_variable(session::Session& session, const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  auto* variable = name == nullptr ? nullptr : session.names().find(name->text);
  const bool text = variable != nullptr && std::holds_alternative<std::string>(variable->value) &&
                    variable->written != kCharacters;  // const char* s
  return text ? variable : nullptr;
}

}  // namespace

bool TextRanges::is_text(session::Session& session, const cell::Expression& expression) {
  return text_variable(session, expression) != nullptr;
}

const TextRanges::Text& TextRanges::text(Variable& variable) {
  for (const auto& known : texts_)
    if (known.variable == &variable) return known;
  const auto& characters = std::get<std::string>(variable.value);
  auto memory =
      std::make_unique<Temporary>(session_.operations().workspace(), std::max<std::size_t>(characters.size(), 1));
  Pointer pointer;
  pointer.type = language::type_of(language::Kind::char8);
  pointer.owner = "the string";
  pointer.address = memory->address();
  pointer.shape = {characters.size()};
  pointer.bytes = characters.size();
  if (!characters.empty()) session_.submission().write(pointer.address, std::as_bytes(std::span(characters)));
  auto name = arguments_.elements(std::move(pointer));
  return texts_.emplace_back(Text{&variable, std::move(memory), std::move(name)});
}

std::optional<TextRanges::Position> TextRanges::position(const cell::Expression& expression) {
  if (const auto* sum = std::get_if<cell::Binary>(&expression.node)) {
    const bool adds = sum->op == cell::BinaryOperator::add;
    auto base = adds || sum->op == cell::BinaryOperator::subtract ? position(*sum->left) : std::nullopt;
    if (!base) return std::nullopt;
    const auto by = number(*sum->right, "what is added to an iterator").as_signed();
    base->at += adds ? by : -by;
    return base;
  }
  const auto* begin = language::begin_of(expression);
  const auto* end = language::end_of(expression);
  auto* variable = begin != nullptr ? text_variable(session_, *begin)
                   : end != nullptr ? text_variable(session_, *end)
                                    : nullptr;
  if (variable == nullptr) return std::nullopt;
  const auto size = static_cast<std::int64_t>(std::get<std::string>(variable->value).size());
  return Position{variable, begin != nullptr ? 0 : size};
}

std::optional<std::string> TextRanges::place(const cell::Expression& expression) {
  const auto found = position(expression);
  if (!found) return std::nullopt;
  const auto& known = text(*found->variable);
  Pointer pointer;
  pointer.type = language::type_of(language::Kind::char8);
  pointer.address = known.memory->address() + static_cast<device::Address>(found->at);
  pointer.shape = {0};
  arguments_.set_value(expression, pointer);
  const auto at = arguments_.text_of(language::ScalarValue::of(found->at), expression, ArrayPassing::pointer);
  return fmt::format("({} + {})", known.name, at);
}

void TextRanges::bring_back() {
  for (const auto& known : texts_) {
    auto& characters = std::get<std::string>(known.variable->value);
    if (known.variable->read_only || characters.empty()) continue;
    session_.submission().read(known.memory->address(), std::as_writable_bytes(std::span(characters)));
  }
}

}  // namespace xcuda::interpreter
