#include "interpreter/host/host_texts.hpp"
#include "interpreter/records/exceptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/comparison.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "language/host/text_types.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::uint64_t kLongestText = std::uint64_t{1} << 24;  // characters that a count may ask for

language::ScalarValue place_or_npos(std::size_t at) {
  return language::ScalarValue::of(static_cast<std::uint64_t>(at));
}

std::size_t found_in(const std::string& text, language::TextOperation search, const std::string& sought,
                     std::optional<std::size_t> from) {
  using language::TextOperation;
  const auto first = from.value_or(0), last = from.value_or(std::string::npos);
  switch (search) {
    case TextOperation::find: return text.find(sought, first);
    case TextOperation::find_last: return text.rfind(sought, last);
    case TextOperation::find_first_of: return text.find_first_of(sought, first);
    case TextOperation::find_last_of: return text.find_last_of(sought, last);
    case TextOperation::find_first_not_of: return text.find_first_not_of(sought, first);
    default: return text.find_last_not_of(sought, last);
  }
}

}  // namespace

std::optional<std::string> Texts::of(const Value& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr || pointer->type.name != "char" || pointer->shape.size() != 1) return std::nullopt;
  std::string characters(pointer->shape.front(), '\0');
  if (!characters.empty()) session_.submission().read(pointer->address, std::as_writable_bytes(std::span(characters)));
  characters.resize(std::min(characters.find('\0'), characters.size()));
  return characters;
}

std::string Texts::text(const cell::Expression& expression) {
  const auto value = frame_.addresses.given(expression);
  if (auto known = of(value)) return std::move(*known);
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number != nullptr && number->kind() == language::Kind::char8)
    return std::string(1, static_cast<char>(number->as_signed()));
  throw error(ErrorKind::type,
              fmt::format("expected a string, but {} is {}", snippet(run_.source, expression.span),
                          language::describe(form_of(value))),
              expression.span);
}

std::size_t Texts::length_of(const cell::Expression& count) {
  const auto length = number(count, "the length of a string");
  if (!length.is_integer() || length.is_negative() || length.as_unsigned() > kLongestText)
    throw error(ErrorKind::value, fmt::format("a string cannot have {} characters", length.text()), count.span);
  return length.as_unsigned();
}

std::string Texts::repeated(const cell::Expression& count, const cell::Expression& character) {
  return std::string(length_of(count), static_cast<char>(number(character, "a character").as_signed()));
}

std::string Texts::initial(const cell::Declarator& declarator) {
  auto given = pointers_to(declarator.constructor);
  if (declarator.init != nullptr) {
    const auto* list = std::get_if<cell::List>(&declarator.init->node);
    given = list != nullptr ? pointers_to(list->elements) : std::vector<const cell::Expression*>{declarator.init.get()};
  }
  if (given.empty()) return {};
  if (given.size() == 1) return text(*given[0]);
  if (given.size() == 2) return repeated(*given[0], *given[1]);
  throw error(ErrorKind::unsupported, "a string takes a string, or a count and a character", declarator.name_span)
      .advise("A cell with %%cuda runs all of C++.");
}

Value Texts::of_language(const FunctionCall& of) {
  using language::Operation;
  const auto given = frame_.call_arguments.bound(of);
  switch (of.row().operation) {
    case Operation::text_of_number: {
      const auto value = number(*given[0], "the argument of to_string");
      if (value.is_integer())
        return value.kind() == language::Kind::ulong64 || value.kind() == language::Kind::ullong64
                   ? std::to_string(value.as_unsigned())
                   : std::to_string(value.as_signed());
      return std::to_string(value.as_real());
    }
    case Operation::make_text:
      return given.size() > 1 && given[1] != nullptr ? repeated(*given[0], *given[1]) : text(*given[0]);
    case Operation::text_length: return language::ScalarValue::of(static_cast<std::uint64_t>(text(*given[0]).size()));
    default: {
      const bool limited = given.size() > 2;  // strncmp
      const auto most = limited ? number(*given[2], "a number of characters").as_unsigned() : std::string::npos;
      const auto order = text(*given[0]).substr(0, most).compare(text(*given[1]).substr(0, most));
      return language::ScalarValue::of(order < 0 ? -1 : order > 0 ? 1 : 0);
    }
  }
}

std::optional<Value> Texts::operate(cell::BinaryOperator op, const Value& left, const Value& right) const {
  const bool first = std::holds_alternative<std::string>(left), second = std::holds_alternative<std::string>(right);
  if (!first && !second) return std::nullopt;
  if (first && second && cell::is_comparison(op))
    return language::ScalarValue::of(compare(op, std::get<std::string>(left), std::get<std::string>(right)));
  const bool pointer = std::holds_alternative<Pointer>(left) || std::holds_alternative<Pointer>(right);
  const bool equality = op == cell::BinaryOperator::equal || op == cell::BinaryOperator::different;
  if (pointer && equality)  // of a std::string and characters; texts that a pointer runs along differ in length
    if (const auto a = of(left), b = of(right); a && b) return language::ScalarValue::of(compare(op, *a, *b));
  if (op != cell::BinaryOperator::add) return std::nullopt;
  const auto part = [&](const Value& value) -> std::optional<std::string> {
    const auto* number = std::get_if<language::ScalarValue>(&value);
    if (number == nullptr) return of(value);
    if (number->kind() != language::Kind::char8) return std::nullopt;
    return std::string(1, static_cast<char>(number->as_signed()));
  };
  auto a = part(left), b = part(right);
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

std::size_t Texts::position(const cell::Expression& expression, std::size_t end) {
  const auto at = number(expression, "a position in a string");
  if (!at.is_integer() || at.is_negative() || at.as_unsigned() > end) throw outside(at, end, expression.span);
  return at.as_unsigned();
}

Error Texts::outside(const language::ScalarValue& at, std::size_t end, cell::Span span) const {
  return error(ErrorKind::value, fmt::format("{} is outside of a string of {} characters", at.text(), end), span);
}

std::size_t Texts::position_in(const std::string& text, const cell::Expression& expression, std::string_view function) {
  const auto at = number(expression, "a position in a string");
  const auto size = text.size();
  const bool of_character = function == "at";
  if (at.is_integer() && !at.is_negative() && (of_character ? at.as_unsigned() < size : at.as_unsigned() <= size))
    return at.as_unsigned();
  auto what = of_character ? Exceptions::range_text("basic_string::at: __n", at, ">= this->size()", size)
                           : Exceptions::range_text(fmt::format("basic_string::{}: __pos", function), at,
                                                    "> this->size()", size);
  frame_.exceptions.raise(outside(at, of_character && size > 0 ? size - 1 : size, expression.span),
                          {"std::out_of_range", std::move(what)});
}

Pointer Texts::in_memory(const std::string& text, cell::Span span) {
  const auto name = fmt::format("\"{}\"", text);  // which no cell can write
  if (const auto* known = session_.arrays().find(name)) return pointer_to(*known);
  auto array = session_.arrays().allocate(
      run_, {name, language::type_of(language::Kind::char8), {text.size() + 1}, false, span});
  session_.submission().write(array.address, std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  auto pointer = pointer_to(array);
  session_.arrays().keep(std::move(array), name);
  return pointer;
}

Pointer Texts::pointer_to_characters(const std::string& text, cell::Span span) {
  auto pointer = in_memory(text, span);
  pointer.is_address = pointer.read_only = true;
  pointer.whole = false;
  return pointer;
}

bool Texts::point(Variable& variable, cell::Span span) {
  const auto* text = std::get_if<std::string>(&variable.value);
  if (text == nullptr || variable.written != kCharacters) return false;
  variable.value = pointer_to_characters(*text, span);
  return true;
}

std::optional<std::span<std::byte>> Texts::place(const cell::Expression& expression) {
  const auto* index = std::get_if<cell::Index>(&expression.node);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  const auto* name = index != nullptr                      ? std::get_if<cell::Name>(&index->base->node)
                     : member != nullptr && !member->arrow ? std::get_if<cell::Name>(&member->base->node)
                                                           : nullptr;
  auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  auto* text = variable == nullptr ? nullptr : std::get_if<std::string>(&variable->value);
  if (text == nullptr || variable->written == kCharacters) return std::nullopt;
  const bool at = index != nullptr ? index->subscripts.size() == 1 && !index->subscripts[0].slice
                                   : member->member == "at" && call->arguments.size() == 1;
  const bool back = index == nullptr && member->member == "back";
  if (!at && !back && (index != nullptr || member->member != "front")) return std::nullopt;
  if (variable->read_only) throw language::is_constant(frame_.text, name->text, expression.span);
  if (at && index == nullptr)
    return std::as_writable_bytes(std::span(*text)).subspan(position_in(*text, *call->arguments[0].value, "at"), 1);
  if (text->empty()) throw error(ErrorKind::value, "the string is empty", expression.span);
  const auto i = back ? text->size() - 1 : !at ? 0 : position(*index->subscripts[0].start, text->size() - 1);
  return std::as_writable_bytes(std::span(*text)).subspan(i, 1);
}

std::optional<Value> Texts::character(const cell::Index& index, cell::Span span) {
  const auto* name = std::get_if<cell::Name>(&index.base->node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* text = held == nullptr ? nullptr : std::get_if<std::string>(&held->value);
  if (text == nullptr) return std::nullopt;
  if (index.subscripts.size() != 1 || index.subscripts[0].slice)
    throw language::no_more_dimensions(frame_.text, index.base->span, span);
  const auto at = position(*index.subscripts[0].start, text->size());
  return language::ScalarValue::of(at < text->size() ? (*text)[at] : '\0');
}

std::optional<Value> Texts::call(const cell::Call& call, const cell::Member& member, cell::Span span) {
  const auto* row = member.arrow ? nullptr : language::find_text_method(member.member);
  if (row == nullptr) return std::nullopt;
  const auto* name = std::get_if<cell::Name>(&member.base->node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  if (name != nullptr && (held == nullptr || !std::holds_alternative<std::string>(held->value))) return std::nullopt;
  if (frame_.expressions.form(*member.base).kind != language::Form::Kind::text && held == nullptr) return std::nullopt;
  const auto value = evaluate(*member.base);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  const auto count = call.arguments.size();
  if (count < row->least || count > row->most)
    throw language::unknown_text_method(frame_.text, member, call.callee->span);
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  const auto filled = [&] {
    if (text->empty()) throw error(ErrorKind::value, "the string is empty", span);
  };
  using language::TextOperation;
  switch (row->operation) {
    case TextOperation::size: return place_or_npos(text->size());
    case TextOperation::empty: return language::ScalarValue::of(text->empty());
    case TextOperation::itself: return *text;
    case TextOperation::at: {
      return language::ScalarValue::of((*text)[position_in(*text, argument(0), "at")]);
    }
    case TextOperation::front: return filled(), language::ScalarValue::of(text->front());
    case TextOperation::back: return filled(), language::ScalarValue::of(text->back());
    case TextOperation::part: {
      const auto begin = count > 0 ? position_in(*text, argument(0), "substr") : 0;
      return count > 1 ? text->substr(begin, number(argument(1), "a number of characters").as_unsigned())
                       : text->substr(begin);
    }
    case TextOperation::find:
    case TextOperation::find_last:
    case TextOperation::find_first_of:
    case TextOperation::find_last_of:
    case TextOperation::find_first_not_of:
    case TextOperation::find_last_not_of: {
      const auto sought = this->text(argument(0));
      std::optional<std::size_t> from;
      if (count > 1) from = number(argument(1), "a position in a string").as_unsigned();
      return place_or_npos(found_in(*text, row->operation, sought, from));
    }
    case TextOperation::compare: {
      if (count == 2) throw language::unknown_text_method(frame_.text, member, call.callee->span);
      const auto part = count == 1 ? *text
                                   : text->substr(position_in(*text, argument(0), "compare"),
                                                  number(argument(1), "a number of characters").as_unsigned());
      const auto order = part.compare(this->text(argument(count - 1)));
      return language::ScalarValue::of(order < 0 ? -1 : order > 0 ? 1 : 0);
    }
    case TextOperation::starts_with: return language::ScalarValue::of(text->starts_with(this->text(argument(0))));
    case TextOperation::ends_with: return language::ScalarValue::of(text->ends_with(this->text(argument(0))));
    case TextOperation::append:
    case TextOperation::push_back: {
      const auto more = count > 1 ? repeated(argument(0), argument(1))
                        : row->operation == TextOperation::append
                            ? this->text(argument(0))
                            : std::string(1, static_cast<char>(number(argument(0), "a character").as_signed()));
      std::get<std::string>(frame_.lookup.variable(*member.base).value) += more;
      return Nothing{};
    }
    case TextOperation::replace: {
      const auto at = position_in(*text, argument(0), "replace");
      const auto most = number(argument(1), "a number of characters").as_unsigned();
      std::get<std::string>(frame_.lookup.variable(*member.base).value).replace(at, most, this->text(argument(2)));
      return Nothing{};
    }
    case TextOperation::insert: {
      const auto at = position_in(*text, argument(0), "insert");
      std::get<std::string>(frame_.lookup.variable(*member.base).value).insert(at, this->text(argument(1)));
      return Nothing{};
    }
    case TextOperation::erase: {
      const auto at = count > 0 ? position_in(*text, argument(0), "erase") : 0;
      const auto most = count > 1 ? number(argument(1), "a number of characters").as_unsigned() : std::string::npos;
      std::get<std::string>(frame_.lookup.variable(*member.base).value).erase(at, most);
      return Nothing{};
    }
    case TextOperation::pop_back:
      filled();
      std::get<std::string>(frame_.lookup.variable(*member.base).value).pop_back();
      return Nothing{};
    case TextOperation::clear:
      std::get<std::string>(frame_.lookup.variable(*member.base).value).clear();
      return Nothing{};
    case TextOperation::resize: {
      const auto length = length_of(argument(0));
      const char more = count > 1 ? static_cast<char>(number(argument(1), "a character").as_signed()) : '\0';
      std::get<std::string>(frame_.lookup.variable(*member.base).value).resize(length, more);
      return Nothing{};
    }
    case TextOperation::assign: {
      auto now = count > 1 ? repeated(argument(0), argument(1)) : this->text(argument(0));
      std::get<std::string>(frame_.lookup.variable(*member.base).value) = std::move(now);
      return Nothing{};
    }
    case TextOperation::exchange: {
      auto* other = std::get_if<std::string>(&frame_.lookup.variable(argument(0)).value);
      if (other == nullptr) throw language::unknown_text_method(frame_.text, member, call.callee->span);
      std::get<std::string>(frame_.lookup.variable(*member.base).value).swap(*other);
      return Nothing{};
    }
    case TextOperation::reserve: return Nothing{};
  }
  return Nothing{};
}

}  // namespace xcuda::interpreter
