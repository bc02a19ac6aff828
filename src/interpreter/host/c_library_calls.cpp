// Random numbers, output, strings and exit() of the C library; new.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include "interpreter/elements.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/c_random.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/statements.hpp"

namespace xcuda::interpreter {

Value RuntimeCalls::random(const Arguments&, cell::Span) { return language::ScalarValue::of(c_random().next()); }

Value RuntimeCalls::seed(const Arguments& given, cell::Span) {
  c_random().seed(static_cast<std::uint32_t>(number(*given[0], "the seed").as_unsigned()));
  return Nothing{};
}

Value RuntimeCalls::leave(const Arguments& given, cell::Span span) {
  const auto status = number(*given[0], "the status");
  if (status.truth()) throw error(ErrorKind::assertion, fmt::format("exit({})", status.text()), span);
  frame_.statements.end();
  return Nothing{};
}

Value RuntimeCalls::print_to(std::string_view name, const Arguments& given, cell::Span span) {
  return frame_.host_calls.print(stream_of(*given[0]), std::span(given).subspan(1), span, name);
}

OutputStream RuntimeCalls::stream_of(const cell::Expression& file) {
  return number(file, "the file").as_unsigned() == 2 ? OutputStream::err : OutputStream::out;
}

std::string RuntimeCalls::text(const cell::Expression& expression) {
  auto text = frame_.texts.of(evaluate(expression));
  if (!text)
    throw error(ErrorKind::type, fmt::format("{} is not a string", snippet(run_.source, expression.span)),
                expression.span);
  return std::move(*text);
}

Value RuntimeCalls::print_line(const Arguments& given, cell::Span) {
  const auto line = text(*given[0]) + "\n";
  frame_.native_code.print(OutputStream::out, line);
  return language::ScalarValue::of(static_cast<int>(line.size()));
}

Value RuntimeCalls::print_text(const Arguments& given, cell::Span) {
  frame_.native_code.print(stream_of(*given[1]), text(*given[0]));
  return language::ScalarValue::of(1);
}

Value RuntimeCalls::print_character(const Arguments& given) {
  const auto character = static_cast<unsigned char>(number(*given[0], "a character").as_unsigned());
  const auto which = given.size() > 1 ? stream_of(*given[1]) : OutputStream::out;
  frame_.native_code.print(which, std::string(1, static_cast<char>(character)));
  return language::ScalarValue::of(static_cast<int>(character));
}

Value RuntimeCalls::character(std::string_view name, const cell::Expression& given) {
  static constexpr std::pair<std::string_view, int (*)(int)> kFunctions[] = {
      {"isalnum", std::isalnum}, {"isalpha", std::isalpha}, {"isblank", std::isblank}, {"iscntrl", std::iscntrl},
      {"isdigit", std::isdigit}, {"isgraph", std::isgraph}, {"islower", std::islower}, {"isprint", std::isprint},
      {"ispunct", std::ispunct}, {"isspace", std::isspace}, {"isupper", std::isupper}, {"isxdigit", std::isxdigit},
      {"tolower", std::tolower}, {"toupper", std::toupper}};
  const auto* found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const auto& one) { return one.first == name; });
  const auto value = number(given, "a character").as_signed();
  const bool letter = name.starts_with("to");
  if (value < 0 || value > 255) return language::ScalarValue::of(letter ? static_cast<int>(value) : 0);
  const int result = found->second(static_cast<int>(value));
  return language::ScalarValue::of(letter ? result : static_cast<int>(result != 0));
}

// The number of characters that there are, also of those that do not fit.
Value RuntimeCalls::format_text(std::string_view name, const Arguments& given, cell::Span span) {
  const bool limited = name == "snprintf";
  auto text = frame_.host_calls.formatted(std::span(given).subspan(limited ? 2 : 1), span, name);
  const auto count = language::ScalarValue::of(static_cast<int>(text.size()));
  if (limited) {
    const auto most = size(*given[1], "the number of bytes");
    if (most == 0) return count;
    text.resize(std::min<std::size_t>(text.size(), most - 1));
  }
  write_text(*given[0], text, span);
  return count;
}

void RuntimeCalls::write_text(const cell::Expression& place, std::string_view text, cell::Span span) {
  const auto to = side(place);
  const Side from = std::string(text).append(1, '\0');
  require(to, text.size() + 1, place);
  transfer(to, from, text.size() + 1, span);
}

// new T(1, 2)
Value RuntimeCalls::construct(const cell::Call& call, cell::Span span) {
  const auto& written = std::get<cell::SizeOf>(call.arguments[1].value->node).type;
  const auto type = session_.code().find_type(run_.source, written, span);
  frame_.lifetimes.require_no_virtual(type, span);
  const auto count = size(*call.arguments[0].value, "the number of elements");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::max<std::uint64_t>(type.size, 1), &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  auto made = memory(bytes, Array::Origin::host, span);
  const auto& value = *call.arguments[2].value;
  if (const auto* few = std::get_if<cell::List>(&value.node)) {  // new T[n]{a, b}: the others are as T{}
    const auto given = few->elements.size();
    if (given > count)
      throw error(ErrorKind::value, fmt::format("{} values for an array of {}", given, count), value.span);
    std::vector<std::byte> values(given * type.size);
    for (std::size_t i = 0; i < given; ++i)
      frame_.elements.read(*few->elements[i], type, std::span(values).subspan(i * type.size, type.size));
    session_.submission().write(made.address, values);
    auto others = made;
    others.address += values.size();
    others.bytes -= values.size();
    others.type = type;
    others.shape = {count - given};
    if (given < count && frame_.library_values.is_constructed(type))
      frame_.library_values.make_each(std::move(others), {}, "{}", span);
    else if (given < count)
      session_.submission().fill({others.address, others.bytes, std::vector<std::byte>(1)});
    return made;
  }
  const auto* cast = std::get_if<cell::Cast>(&value.node);
  const auto* of_call = std::get_if<cell::Call>(&value.node);
  const auto* list = cast == nullptr ? nullptr : std::get_if<cell::List>(&cast->operand->node);
  if ((list != nullptr || of_call != nullptr) && frame_.library_values.is_constructed(type)) {
    auto elements = made;
    elements.type = type;
    elements.shape = {count};
    const auto given = list != nullptr ? pointers_to(list->elements) : pointers_to(of_call->arguments);
    frame_.library_values.make_each(std::move(elements), given, list != nullptr ? "{}" : "()", span);
    return made;
  }
  std::vector<std::byte> element(type.size);
  frame_.elements.read(value, type, element);
  session_.submission().fill({made.address, count, element});
  return made;
}

// What is left of a text from a place on: of memory a pointer into it.
Value RuntimeCalls::rest_of(const Value& text, std::size_t at, cell::Span span) {
  const auto* characters = std::get_if<std::string>(&text);
  return frame_.addresses.moved(
      characters != nullptr ? frame_.texts.pointer_to_characters(*characters, span) : std::get<Pointer>(text),
      static_cast<std::int64_t>(at), span);
}

Value RuntimeCalls::search_text(std::string_view name, const Arguments& given, cell::Span span) {
  const auto value = evaluate(*given[0]);
  const auto all = text(*given[0]);
  const auto character = [&] { return static_cast<char>(number(*given[1], "a character").as_signed()); };
  const auto at = name == "strchr"    ? all.find(character())
                  : name == "strrchr" ? all.rfind(character())
                                      : all.find(text(*given[1]));
  if (at != std::string::npos) return rest_of(value, at, span);
  const bool end = name != "strstr" && character() == '\0';
  return end ? rest_of(value, all.size(), span) : Value(NullPointer{});
}

Value RuntimeCalls::next_word(const Arguments& given, cell::Span span) {
  auto value = evaluate(*given[0]);
  if (std::holds_alternative<NullPointer>(value)) value = std::exchange(words_, NullPointer{});
  if (std::holds_alternative<NullPointer>(value)) return value;
  const auto all = frame_.texts.of(value);
  if (!all || !std::holds_alternative<Pointer>(value))
    throw error(ErrorKind::type, fmt::format("{} is not an array of char", snippet(run_.source, given[0]->span)),
                given[0]->span);
  const auto separators = text(*given[1]);
  const auto begin = all->find_first_not_of(separators);
  if (begin == std::string::npos) return NullPointer{};
  const auto end = all->find_first_of(separators, begin);
  if (end != std::string::npos) {
    const auto& memory = std::get<Pointer>(value);
    session_.submission().write(memory.address + end, std::vector<std::byte>(1));
    words_ = rest_of(value, end + 1, span);
  }
  return rest_of(value, begin, span);
}

Value RuntimeCalls::copy_text(std::string_view name, const Arguments& given, cell::Span span) {
  if (name == "strtok") return next_word(given, span);
  if (name == "strchr" || name == "strrchr" || name == "strstr") return search_text(name, given, span);
  auto text = this->text(*given[1]);
  if (name == "strcat") text.insert(0, this->text(*given[0]));
  text.resize(name == "strncpy" ? size(*given[2], "the number of bytes") : text.size() + 1);
  const auto to = side(*given[0]);
  const auto bytes = text.size();
  require(to, bytes, *given[0]);
  transfer(to, Side(std::move(text)), bytes, span);
  return Nothing{};
}

}  // namespace xcuda::interpreter
