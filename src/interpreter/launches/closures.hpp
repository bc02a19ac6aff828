// Lambdas of statements as objects that kernels take: a struct with their captures and their body. Lambdas that capture
// by reference are the host's: an object without members, whose type names the text that a call puts in its place.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class Closures : public Part {
 public:
  explicit Closures(Frame& frame) : Part(frame) {}

  // The lambda with the present values of its captures: scalars and structs by value, arrays as pointers. Errors:
  // unsupported (by reference), type (a capture that a kernel cannot take), name.
  Object of(const cell::Expression& lambda);
  // The object of any lambda, also of one that captures by reference.
  Object value(const cell::Expression& lambda);
  // The object of a lambda that becomes a std::function<R(...)>, whose result is an R.
  Object value(const cell::Expression& lambda, std::string_view function_type);
  // The declaration of a lambda that captures by reference under its name, by which it may call itself.
  static std::string declaration(const std::string& name, const std::string& text);
  // "[&](int v) { total += v; }" for an object that captures by reference; empty for other types.
  std::string text_of(const Type& type) const;
  // What the lambda returns a reference to: "C" of [&](int i) -> C& { return a[i]; }; empty where it returns a value.
  std::string referred(const Type& type) const;
  // The function that a lambda without captures is.
  std::optional<Function> as_function(const Value& value) const;
  bool is_by_reference(const cell::Expression& argument) const;  // a lambda, or the name of one
  Error by_reference(cell::Span span) const;

 private:
  struct Member {
    std::string declaration;
    Type type;
    std::vector<std::byte> bytes;
  };
  Member member(const std::string& name, Value value, const cell::Expression& lambda);
  Value captured(const std::string& text, const cell::Expression& lambda);  // of [n = text]
  std::string with_values(const std::string& text, const cell::Expression& lambda);

  std::deque<cell::ExpressionPtr> trees_;  // which other parts know by their addresses
};

}  // namespace xcuda::interpreter
