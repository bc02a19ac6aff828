// References: another name of a variable, an element, a row or an array.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "interpreter/frame.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {

class References : public Part {
 public:
  explicit References(Frame& frame) : Part(frame) {}

  // Binds T& name = place; false for a constant reference to a value, which becomes a variable of its own.
  bool bind(const cell::Declaration& declaration, const cell::Declarator& declarator);
  // Makes the name mean this memory from now on.
  void bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Pointer place);
  // auto& [a, b] = place;
  void bind_parts(const cell::Declaration& declaration);

  // What a call, an assignment or ++x gives: its value, and where that is if it is a reference.
  struct Referred {
    Value value;
    std::optional<Target> place;
  };
  bool may_refer(const cell::Expression& expression);
  Referred of(const cell::Expression& expression);
  // Where the assignment or step that was evaluated last has stored, whose target this is.
  void stored(const cell::Expression& target, Target place) { stored_ = Stored{&target, std::move(place)}; }
  bool have_referred(const cell::Expression& call) const { return referred_.contains(&call); }
  // What a function that returns a reference refers to, also to read it only. Nothing for a value.
  std::optional<Target> returned(const cell::Expression& expression);
  Value value_of(const Target& place);
  // The side of c ? a : b that is taken, where both are places of one type, so that the whole is one. Other expressions
  // as they are.
  const cell::Expression& chosen(const cell::Expression& expression);
  // Moves the struct that a variable holds to memory, for pointers and references to it and its parts. The variable
  // stays there.
  Pointer in_memory(Variable& variable, const std::string& name);
  // For &v and &v.x: a variable that holds a number or a struct is moved to memory.
  void move_for_address(const cell::Expression& expression);
  void move_for_address(const std::string& name);
  // Where it is; a variable with a struct is moved to memory.
  std::optional<Pointer> pointer_to_place(const Target& place, const cell::Expression& expression);
  // The elements of a std::array that a variable or a struct holds; nothing for anything else.
  bool is_library_array(const cell::Expression& expression);
  std::optional<Pointer> library_array(const cell::Expression& expression);
  // a.begin(), std::end(x) of an array, a std::vector or a std::array; nothing for other expressions.
  std::optional<Pointer> iterator(const cell::Expression& expression);
  // v.at(i), v.front(), v.back() of a std::vector or a std::array; nothing for other expressions.
  bool is_part_of_library(const cell::Expression& expression);
  std::optional<Pointer> part_of_library(const cell::Expression& expression);
  // The part of a derived object that is its base, B* p = &d; B& r = d; B b = d;. Nothing where it is not one.
  std::optional<Pointer> part_of_base(const Pointer& object, const Type& base);
  std::optional<Pointer> part_of_base(const Target& place, const cell::Expression& expression, const Type& base);
  std::optional<Object> part_of_base(const Object& object, const Type& base);
  // Of v.x[1] where v is a variable that holds a struct: moves it.
  void move_root(const cell::Expression& expression);
  void move_root_of_part(const cell::Expression& expression);  // not of v itself

 private:
  bool bind_result(const cell::Declaration& declaration, const cell::Declarator& declarator,
                   const cell::Expression& result);
  void bind(const cell::Declaration& declaration, const cell::Declarator& declarator, Variable& variable);
  ItemPtr record_as_base(const cell::Declaration& declaration, const Variable& variable);
  bool is_derived(const Type& derived, const Type& base) const;
  std::optional<std::uint64_t> offset_of_base(const Type& derived, const Type& base);  // bytes
  struct Stored {
    const cell::Expression* target = nullptr;
    Target place;
  };
  std::optional<Stored> stored_;
  std::set<const cell::Expression*> referred_;  // the trees outlive this
  bool is_of_this_type(const cell::Declaration& declaration, const Value& value) const;
};

}  // namespace xcuda::interpreter
