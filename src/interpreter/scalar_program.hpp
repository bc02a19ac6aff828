// An expression of only scalars, made ready once and run many times: names are slots, operators are steps over a small
// stack. Other expressions (an array, a struct, a ternary, whose type both sides decide) have no program.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cell/tree.hpp"
#include "language/functions.hpp"
#include "session/names.hpp"

namespace xcuda::interpreter {

using namespace session;

class ScalarProgram {
 public:
  // The value of a name that is not a variable of the cell: a constant of device code.
  using Constant = std::function<std::optional<language::ScalarValue>(const std::string& name)>;

  // Makes a program; nothing when the expression needs more than this.
  static std::optional<ScalarProgram> make(const cell::Expression& expression, NameTable& names,
                                           const Constant& constant);

  // Room for one run at a time, kept between runs.
  using Stack = std::array<language::ScalarValue, 16>;

  // Runs the program; nothing, without effect, when a name is not a scalar variable now, or a target is const. Throws
  // the errors of operators.
  std::optional<language::ScalarValue> run(const NameTable& names, const cell::Source& source, Stack& stack) const;

 private:
  static constexpr std::size_t kSlots = 8;
  enum class Code : std::uint8_t {
    literal,
    load,
    unary,
    binary,
    call,
    convert,
    assign,  // the value on the stack to the slot, converted
    update,  // of +=: the slot's value comes first
    step_before,
    step_after,  // ++ and --: the stack gets the value before or after
    drop,        // of the comma
    skip_if_false,
    skip_if_true,  // of && and ||: leaves the bool on the stack, and jumps; else drops it
    truth,
  };
  struct Step {
    Code code = Code::literal;
    std::uint8_t slot = 0;
    std::uint16_t count = 0;  // arguments of a call; steps to jump over
    language::Kind kind = language::Kind::int32;
    cell::UnaryOperator unary{};
    cell::BinaryOperator binary{};
    language::ScalarValue value;
    cell::Span span;
    language::FunctionName function;
  };
  struct Slot {
    NameTable::Symbol symbol{};
    bool written = false;
  };

  bool add(const cell::Expression& expression, NameTable& names, const Constant& constant);
  std::optional<std::uint8_t> slot(const cell::Expression& name, NameTable& names);
  bool add_assignment(const cell::Assignment& node, cell::Span span, NameTable& names, const Constant& constant);
  bool add_logical(const cell::Binary& node, NameTable& names, const Constant& constant);
  bool add_call(const cell::Call& node, cell::Span span, NameTable& names, const Constant& constant);
  void push(Step step);

  std::vector<Step> steps_;
  std::vector<Slot> slots_;
  std::size_t depth_ = 0, deepest_ = 0;
};

}  // namespace xcuda::interpreter
