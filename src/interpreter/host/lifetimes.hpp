// When objects begin and end: destructors, and copies by copy constructors, of values that statements hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Lifetimes : public Part {
 public:
  explicit Lifetimes(Frame& frame) : Part(frame) {}

  // What has to be done with values of a type, for itself, its bases or its members.
  struct Rules {
    bool ends = false;     // a destructor runs
    bool copies = false;   // a copy constructor makes copies
    bool assigns = false;  // operator= assigns
    bool has_virtual = false;
    // Whether a program can tell a value from a copy of it.
    bool has_identity() const { return ends || copies; }
  };
  const Rules& rules_of(const Type& type);
  // Error(unsupported): the addresses of virtual functions mean something only to the code that made the object.
  void require_no_virtual(const Type& type, cell::Span span);

  // A value that was made and has no name: it ends with its statement, if nothing takes it.
  Value made(Value value);
  Variable* temporary(const Object& object);  // where it is; null: it is another name's value
  // What a new variable, parameter or element holds: the temporary itself, or a copy as C++ makes it.
  Value owned(Value value, cell::Span span);
  Value copy_of(const Object& object, cell::Span span);

  // Temporaries end in reverse order once those made since the mark are no longer needed.
  std::size_t mark() const { return temporaries_.empty() ? 0 : temporaries_.size(); }
  void end_temporaries(std::size_t mark) {
    if (!temporaries_.empty()) end_those_since(mark);  // most statements make none
  }

  // Variables and arrays of a block end when it is left, in reverse order. Those outside of all blocks end when their
  // name is declared again.
  void declared(const std::string& name);
  // Whether it belongs to a block within the one of this depth: a function hands it out with return.
  bool is_within(std::size_t depth, const Variable& variable) const;
  Value taken(Variable& variable);  // by that return
  void leave_block();
  void replaced(const std::string& name);
  void end(Variable& variable);
  void end(Pointer elements);  // in reverse order
  // What delete or delete[], as cell::library_names has them, is given.
  void end_deleted(const cell::Expression& pointer, std::string_view deletion);

 private:
  bool is_record_with_end(const Variable& variable);
  void end_those_since(std::size_t mark);
  struct Temporary {
    std::uint64_t number = 0;
    Variable variable;
  };
  struct Owned {
    std::size_t depth = 1;
    Variable* variable = nullptr;  // null: an array
    std::string name;
  };
  std::unordered_map<std::string, Rules> rules_;  // by the type's name
  std::deque<Temporary> temporaries_;
  std::uint64_t last_ = 0;
  std::vector<Owned> owned_;
};

}  // namespace xcuda::interpreter
