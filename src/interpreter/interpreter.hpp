// Runs statements, and evaluates expressions, in a session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "display/bundle.hpp"
#include "display/launch_report.hpp"
#include "interpreter/launches/launch_options.hpp"
#include "session/session.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

using namespace session;

class Interpreter {
 public:
  // The trees that it is given outlive it: what is found out about a place of one is kept.
  Interpreter(Session& session, CellRun& run, const LaunchOptions& options = {});
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void run(const std::vector<cell::StatementPtr>& statements);
  void execute(const cell::Statement& statement);
  // Captured, and launched as one; the span is what errors of the whole are placed at.
  void run_as_graph(const std::vector<cell::StatementPtr>& statements, cell::Span span);

  Value evaluate(const cell::Expression& expression);
  cell::Value number(const cell::Expression& expression, std::string_view what);  // Error(type) otherwise
  // What an array's value is shown from: its elements in one piece, computed where it is an expression; nothing when it
  // is not an array.
  std::optional<Pointer> elements(const Value& value);
  // text: of the expression, which a part of an array is named by.
  display::Bundle bundle(const Value& value, std::string_view text = "");
  std::string written(const cell::Expression& expression) const;  // in one line, shortened

  // What was launched, timed ones with their times; synchronises.
  display::LaunchReport report();
  std::vector<std::string> declared() const;  // names of arrays and scalars, in the order of their last declarations

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace xcuda::interpreter
