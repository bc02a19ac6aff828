// Runs the statements of a cell, in order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "arrays/array_math.hpp"
#include "cell/tree.hpp"
#include "display/device_report.hpp"
#include "display/launch_report.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/launch_check.hpp"
#include "interpreter/scalar_program.hpp"
#include "language/functions.hpp"
#include "session/session.hpp"
#include "session/value.hpp"

namespace xcuda::interpreter {

using namespace session;

class Executor : public Part {
 public:
  explicit Executor(Frame& frame) : Part(frame) {}
  void run(const std::vector<cell::StatementPtr>& statements);
  void execute(const cell::Statement& statement);
  Value evaluate(const cell::Expression& expression);
  cell::Value number(const cell::Expression& expression, std::string_view what);  // Error(type) when it is none
  ArrayNodePtr array_of(const Value& value, const cell::Expression& expression);  // null when it is no array
  // What an array's value is shown from: its elements in one piece, computed where it is an expression; nothing when it
  // is no array.
  std::optional<Pointer> elements(const Value& value);
  // text: of the expression, which a part of an array is named by.
  display::Bundle bundle(const Value& value, std::string_view text = "");
  std::string written(const cell::Expression& expression) const;  // in one line, shortened

  enum class Flow : std::uint8_t { next, leave, again };  // after a statement: go on, break, continue
  Flow flow(const cell::Statement& statement);
  Flow block(const std::vector<cell::StatementPtr>& statements);
  Flow loop_body(const cell::Statement& body);
  bool truth(const cell::Expression& condition);
  void perform(const cell::Expression& expression);  // for its effects

  // evaluate.cpp
  std::optional<cell::Value> scalar(const cell::Expression& expression);  // by its program; nothing when it has none
  std::optional<cell::Kind> kind_of(const cell::Expression& expression);
  cell::Value number(const Value& value, cell::Span span, std::string_view what);

  // array_operate.cpp: expressions over whole arrays
  bool is_array(const Value& value) const;
  ArrayNodePtr node_of(const Value& value, const cell::Expression& expression);
  Value combine(ArrayNode::Kind kind, const std::string& text, std::vector<ArrayNodePtr> inputs, cell::Span span);
  struct Operand {
    const Value& value;
    const cell::Expression& expression;
  };
  // Arrays, structs and vectors have their operators on the device; of numbers and structs alone the value is read
  // back.
  static bool has_device_operators(const Value& value);
  Value operate(ArrayNode::Kind kind, const std::string& op, std::initializer_list<Operand> operands, cell::Span span);

  // A call of a function of the language.
  struct FunctionCall {
    language::FunctionName name;
    const cell::Call& call;
    cell::Span span;
    const language::Function& row() const { return *name.row; }
  };
  language::Bound bound(const FunctionCall& of) const;
  Value call_function(const FunctionCall& of);  // call.cpp: by the row's operation

  // array_call.cpp
  Value element_call(const FunctionCall& of);
  Value device_call(const cell::Call& call, std::string_view function, cell::Span span);
  ArrayNodePtr array_argument(const cell::Expression& expression, const FunctionCall& of);
  std::optional<std::size_t> axis_argument(const cell::Expression* axis, const ArrayNode& x);
  Value number_of(Pointer result);           // of a reduction over everything: synchronises and reads
  Value number_or_elements(Pointer result);  // the same where it has no extents
  Value number_or_array(Value value);        // of an expression
  Value reduction(const FunctionCall& of);
  Value dot(const FunctionCall& of);
  Value folded(const FunctionCall& of);
  Value mapped(const FunctionCall& of);
  Value first_extent(const FunctionCall& of);
  Value reshaped(const FunctionCall& of);
  Value turned(const FunctionCall& of);
  Value chosen(const FunctionCall& of);
  std::string function_argument(const cell::Expression& expression);
  bool is_math(std::string_view function);  // of xcuda::math, and no function of a cell has its name

  // array_order_call.cpp
  Value scanned(const FunctionCall& of);
  Pointer ordered_argument(const cell::Expression& expression, const FunctionCall& of);
  Value sorted(const FunctionCall& of);
  Value median(const FunctionCall& of);
  Value rolled(const FunctionCall& of);
  Value counted(const FunctionCall& of);

  // array_assert.cpp
  bool all_close(const FunctionCall& of);
  // assert of an array of truths, or of allclose(): what failed, where, by how much
  void assert_all(const ArrayNodePtr& condition, const cell::Expression& expression, cell::Span span);
  struct Worst {
    const cell::Expression *left_text, *right_text;
    ArrayNodePtr left, right, holds;
  };
  [[noreturn]] void fail_worst(const Worst& worst, std::uint64_t wrong, const cell::Expression& condition,
                               cell::Span span);

  // call.cpp
  Value call(const cell::Call& call, cell::Span span);
  const cell::Expression* expansion(const cell::Call& call, const std::string& name, cell::Span span);
  void print(const cell::Call& call, cell::Span span);
  void assert_true(const cell::Call& call, cell::Span span);  // assertion.cpp
  Value condition_value(const cell::Expression& condition, std::vector<std::string>& notes);
  Value text_function(const FunctionCall& of);  // text_functions.cpp
  void exchange(const cell::Call& call, cell::Span span);

  Error no_function(const cell::Call& call, cell::Span span);

  std::uint64_t passes_ = 0;              // of all loops, for the line of progress
  const cell::Call* asserted_ = nullptr;  // an allclose() that is the condition of an assert
  const cell::Expression* asserted_text_ = nullptr;
  // What is found out once for each place in the cell's tree, which outlives this.
  std::unordered_map<const cell::Expression*, std::optional<ScalarProgram>> programs_;
  ScalarProgram::Stack stack_;
  std::unordered_map<const cell::Call*, cell::ExpressionPtr> expansions_;  // of function-like macros
};

}  // namespace xcuda::interpreter
