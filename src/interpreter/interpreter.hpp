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
  // The trees that it runs outlive it: facts about their places are kept.
  Interpreter(Session& session, CellRun& run, const LaunchOptions& options = {});
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void run(const std::vector<cell::StatementPtr>& statements);
  void execute(const cell::Statement& statement);
  // Captures the statements, and launches them as one; errors of the whole are placed at the span.
  void run_as_graph(const std::vector<cell::StatementPtr>& statements, cell::Span span);

  Value evaluate(const cell::Expression& expression);
  language::ScalarValue number(const cell::Expression& expression, std::string_view what);  // Error(type) otherwise
  // The elements of an array to show, in one piece, computed if it is an expression; nothing if it is not an array.
  std::optional<Pointer> elements(const Value& value);
  // text: the expression, which names a part of an array.
  display::Bundle bundle(const Value& value, std::string_view text = "");
  std::string written(const cell::Expression& expression) const;  // in one line, shortened

  // The launches, timed ones with their times; synchronises.
  display::LaunchReport report();
  std::vector<std::string> declared() const;  // names of arrays and scalars, in the order of their last declarations

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace xcuda::interpreter
