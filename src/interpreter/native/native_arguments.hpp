// The parts of a session that native code gets: variables that it may change, arrays, values; and their way back.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/native/native_code.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

enum class ArrayPassing : std::uint8_t {
  pointer,    // to the first element
  whole,      // the array itself
  place,      // a variable that is a pointer as that variable, which may be changed; an array as a pointer
  reference,  // the same, but an array as itself: what T& takes
};

class NativeArguments : public Part {
 public:
  explicit NativeArguments(Frame& frame) : Part(frame) {}

  // The text that means the expression in native code; adds the arguments that it needs.
  std::string text_of(const cell::Expression& expression, ArrayPassing passing);
  std::string pointed_text(const cell::Expression& expression, ArrayPassing passing);  // x + n is a pointer, as in C++
  std::string address_of(const cell::Expression& expression);  // of an array, x + n, &x[i], std::end(x)
  // For text of the cell as it stands: binds the variables and arrays in it by their own names.
  void bind_names(std::string_view text);
  std::string text_of(const Value& value, const cell::Expression& expression, ArrayPassing passing);
  // Of an argument whose text is known: its effects do not happen again. x + n is a pointer where the text is one.
  Value value_of(const cell::Expression& argument);
  void set_value(const cell::Expression& argument, Value value) {
    values_.insert_or_assign(&argument, std::move(value));
  }

  void add_value(const Type& type, const std::vector<std::byte>& bytes, std::string name);  // under this name

  std::string place(Variable& variable) { return this->variable(variable, {}); }
  std::string elements(Pointer elements);  // contiguous ones

  std::vector<NativeArgument>& all() { return arguments_; }
  // For the body: what bound texts name that is a lambda that captures by reference, or an argument already.
  const std::string& declarations() const { return declarations_; }
  bool has_library_objects() const { return library_objects_; }  // std::plus<int>()
  // What the evaluation of later arguments has changed in variables that earlier ones name, just before the run.
  void refresh(std::vector<NativeArgument>& arguments) const;
  void bring_back();  // variables, after the run

 private:
  std::string place_of(const cell::Expression& expression,
                       ArrayPassing passing);                                   // an lvalue; empty when it is not one
  std::string part_of(Variable& variable, const cell::Expression& expression);  // s.v[1]
  std::string known_name(const Variable& variable, const std::string& name);    // empty where it is new
  bool declare(const std::string& name);
  std::string variable(Variable& variable, const std::string& name);
  std::string pointer_variable(Variable& variable, const std::string& name);
  std::string memory(Pointer pointer, const cell::Expression& expression, ArrayPassing passing);
  std::string add(NativeArgument argument, Variable* home, std::string name = {});
  std::optional<Pointer> element_address(const cell::Expression& expression);
  std::string closure_text(const cell::Expression& expression) const;
  bool bind_lambda(const Variable& variable, const std::string& name);
  std::string next_name() const;
  void point(Pointer& pointer, const NativeArgument& to) const;
  void set_bytes(Value& value, const Type& type, const std::vector<std::byte>& bytes) const;

  std::vector<NativeArgument> arguments_;
  std::vector<Variable*> homes_;                               // where each is kept; null: nowhere
  std::unordered_map<const cell::Expression*, Value> values_;  // that had to be found; elements as where they are
  std::vector<std::string> declared_;                          // names in the declarations
  std::string declarations_;
  bool library_objects_ = false;
};

}  // namespace xcuda::interpreter
