// std::cout << x: numbers and texts as C++'s library prints them. Manipulators' settings last to the end of the cell.
#pragma once

#include <optional>
#include <sstream>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "language/host/stream_types.hpp"

namespace xcuda::interpreter {

class OutputStreams : public Part {
 public:
  explicit OutputStreams(Frame& frame) : Part(frame) {}

  // Errors: type, for an operand that no stream prints, after those before it are printed.
  void write(const language::StreamOutput& output);
  void write(std::ostream& stream, const cell::Expression& operand);  // of a std::ostringstream
  bool call(const cell::Call& call, const cell::Member& member);  // std::cout.precision(3); false: it is another one

 private:
  bool add_known(std::ostream& stream, const cell::Expression& operand);
  bool add_object(language::StreamName name, const Value& value, cell::Span span);
  void add(std::ostream& stream, std::optional<language::StreamName> name, const cell::Expression& operand);
  void set(std::ostream& stream, const language::ManipulatorRow& row, const cell::Expression* argument);
  void add_number(std::ostream& stream, const language::ScalarValue& value);
  std::ostringstream& of(language::StreamName name) { return name == language::StreamName::out ? out_ : errors_; }
  void print(language::StreamName name);

  std::ostringstream out_, errors_;
  language::StreamName cout_ = language::StreamName::out;  // what std::cout is, while an operator<< of a cell runs
};

}  // namespace xcuda::interpreter
