// std::string and char* in statements: one value, which its name holds.
#pragma once

#include <optional>
#include <string>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Texts : public Part {
 public:
  explicit Texts(Frame& frame) : Part(frame) {}

  // A value as a text, an array of char up to its first 0; nothing where it is not a text.
  std::optional<std::string> of(const Value& value) const;
  // std::string s; std::string s = "a"; std::string s(8, '-');
  std::string initial(const cell::Declarator& declarator);
  // Calls s.size(), s.substr(2); nothing where s is not a text. Errors: value, outside of the text.
  std::optional<Value> call(const cell::Call& call, const cell::Member& member, cell::Span span);
  Value of_language(const FunctionCall& of);  // std::to_string(3)
  // s + "a", s == t; nothing where neither is a text.
  std::optional<Value> operate(cell::BinaryOperator op, const Value& left, const Value& right) const;
  // The characters and a 0 in memory of the session, once for each text.
  Pointer in_memory(const std::string& text, cell::Span span);
  Pointer pointer_to_characters(const std::string& text, cell::Span span);  // which cannot be written
  // Makes a pointer of a const char* that is a text; false for other variables.
  bool point(Variable& variable, cell::Span span);
  // The character s[i], s.at(i), s.front() or s.back() of a std::string; nothing for other expressions.
  std::optional<std::span<std::byte>> place(const cell::Expression& expression);
  std::optional<Value> character(const cell::Index& index, cell::Span span);  // s[2]
  std::string text(const cell::Expression& expression);  // Error(type) where it is not one, nor a char
  std::string repeated(const cell::Expression& count, const cell::Expression& character);
  std::size_t length_of(const cell::Expression& count);

 private:
  std::size_t position(const cell::Expression& expression, std::size_t end);
  // Where a function of C++'s library throws std::out_of_range for what is outside: "at", "substr".
  std::size_t position_in(const std::string& text, const cell::Expression& expression, std::string_view function);
  Error outside(const language::ScalarValue& at, std::size_t end, cell::Span span) const;
};

}  // namespace xcuda::interpreter
