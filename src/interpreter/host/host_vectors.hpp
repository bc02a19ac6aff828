// std::vector in statements: an array of the session that grows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// Errors of all functions: type, value, unsupported (its element type), memory.
class Vectors : public Part {
 public:
  explicit Vectors(Frame& frame) : Part(frame) {}
  enum class Form : std::uint8_t { arguments, list };  // v(3, 1), v{3, 1}

  // The vector with its present elements, wherever they have moved.
  static Pointer now(Pointer vector);
  static Pointer as_vector(Pointer elements);  // of one extent, which neither grow nor shrink

  void declare(const cell::Declaration& declaration, const cell::Declarator& declarator);
  void declare(const cell::Declaration& declaration, const cell::Declarator& declarator, const Pointer& elements);
  // v.push_back(3); nothing where v is not a vector, or the function is one of arrays.
  std::optional<Value> call(const cell::Call& call, const cell::Member& member, cell::Span span);
  // The place of v.at(i), v.front(), v.back(); nothing where v is not a vector, or for other functions.
  std::optional<Pointer> element(const cell::Call& call, const cell::Member& member, cell::Span span);
  // std::vector<float>(n, 1.0f); nothing for other expressions.
  std::optional<Value> made(const cell::Expression& expression);
  // v = w, v = {1, 2}: gives v as many elements as the value; false: the target is not a whole vector.
  bool assign(const cell::Assignment& assignment, const Pointer& target);
  // v == w, v < w as C++ compares them; nothing where one is not a vector of numbers.
  std::optional<Value> compare(cell::BinaryOperator op, const Value& left, const Value& right) const;
  // Vectors that are elements of a container: std::vector<float>(n, 1), {1, 2}, or a copy. They live as long as
  // something has them.
  Pointer kept(const std::string& type, const std::vector<const cell::Expression*>& given, Form form, cell::Span span);
  Pointer kept(const std::string& type, const Value& value, cell::Span span);
  void append(const Value& vector, const Value& value, cell::Span span);
  Pointer copy_of(const Pointer& elements);  // a copy that outlives its block, for a function to return

 private:
  struct Elements {
    std::uint64_t count = 0;
    std::optional<Pointer> from;      // of the same type, contiguous
    ArrayNodePtr computed;            // of another type, or not computed yet
    std::vector<std::byte> pattern;   // of one element; empty: 0
    std::vector<std::byte> contents;  // of all
    bool constructed = false;         // each by the default constructor of its struct
  };
  Elements read(const std::vector<const cell::Expression*>& given, Form form, const Type& type, cell::Span span);
  Elements of_value(const Value& value, const Type& type, const cell::Expression& expression);
  Pointer kept(const Type& type, const Elements& elements, cell::Span span);
  void write(const Elements& elements, const Type& type, device::Address to);
  // What so many elements are that are given no value.
  Elements without_value(std::uint64_t count, const Type& type);
  std::vector<std::byte> made_of(const std::vector<const cell::Expression*>& values, const Type& type, cell::Span span);
  void define(const cell::Declaration& declaration, const cell::Declarator& declarator, const Type& type,
              const Elements& elements);
  std::optional<Pointer> named(const cell::Expression& expression);
  std::uint64_t position(const cell::Expression& expression, const Pointer& vector);
  static Value iterator(const Pointer& vector, std::uint64_t at);
  Type element_type(std::string_view vector, cell::Span span);
};

}  // namespace xcuda::interpreter
