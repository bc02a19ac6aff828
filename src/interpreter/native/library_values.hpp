// Values of C++'s library in statements: std::pair, std::array, std::tuple, and the clocks and durations of
// std::chrono. Their constructors, functions and operators are native code; only access to members is not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// Errors: type, with what the compiler says.
class NativeArguments;

class LibraryValues : public Part {
 public:
  explicit LibraryValues(Frame& frame) : Part(frame) {}

  // std::make_pair(1, 2.5f), std::get<0>(t), std::chrono::steady_clock::now().
  Value call(const cell::Call& call, cell::Span span);
  // std::get<0>(t) = 5;
  Value assign(const cell::Call& target, const cell::Assignment& assignment, cell::Span span);
  // Calls (b - a).count() of a value without a name; nothing where that is not an object.
  std::optional<Value> method(const cell::Call& call, cell::Span span);
  // What `total = value` or `total += value` gives the target, of durations of other types, for example.
  Value assigned(const Type& type, const Value& before, const Value& value, const cell::Assignment& assignment,
                 cell::Span span);
  // Throws what a.at(i) of a std::array does, where i is outside of it.
  void require_index(const cell::Call& call, const cell::Member& member, cell::Span span);
  // Makes std::tuple<int, float> t{1, 2.5f}, and what a cell's constructor makes; nothing where only members get
  // values.
  std::optional<Value> made(const Type& type, const cell::Declarator& declarator);
  std::optional<Value> converted(const Type& type, const cell::Expression& operand);  // std::chrono::seconds(5)
  // A struct of a cell that a constructor makes, or that has initial values of members.
  bool is_constructed(const Type& type);
  Value made_of(const Type& type, const std::vector<const cell::Expression*>& values, std::string_view brackets,
                cell::Span span);  // T(values...) or T{values...}
  // Makes elements in memory, each by the constructor, as T x[3]; and new T[3] do.
  void make_each(Pointer elements, const std::vector<const cell::Expression*>& values, std::string_view brackets,
                 cell::Span span);
  Value made_of_calls(const cell::Call& call, cell::Span span);   // P(1, 2) of a cell's type, P::count()
  std::optional<std::vector<Value>> parts(const Object& object);  // of a tuple; nothing for other types
  Pointer elements(const Object& span);                           // of a std::span
  // "{1, 2.5}" for a tuple, "12 ms" for a duration, from the texts of their numbers; nothing for other types.
  std::optional<std::string> text(const Object& object, const std::function<std::string(const Value&)>& text_of);

 private:
  std::string given_text(NativeArguments& arguments, const std::vector<const cell::Expression*>& values);
  Value part(const Object& object, std::string_view expression);  // "std::get<0>(xcuda_a0)"
  std::optional<Value> now(std::string_view callee, cell::Span span);

  std::unordered_map<std::string, bool> constructed_;  // by the type's name
};

}  // namespace xcuda::interpreter
