// Runs statements in order: blocks, loops and branches; other parts run the simple statements and expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/host/macro_statements.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Statements : public Part {
 public:
  explicit Statements(Frame& frame) : Part(frame) {}

  void run(const std::vector<cell::StatementPtr>& statements);  // of a cell
  void execute(const cell::Statement& statement) { flow(statement); }
  // Runs the body of a function; returns its result, or Nothing.
  Value run_body(const cell::Statement& body);
  void end() { ended_ = true; }  // exit(0): nothing more of the cell runs

 private:
  // How to go on after a statement: go on, break, continue, leave all loops and blocks, or those up to a label.
  enum class Flow : std::uint8_t { next, leave, again, ended, jumped };
  static bool leaves_loop(Flow flow) { return flow == Flow::ended || flow == Flow::jumped; }
  Flow sequence(const std::vector<cell::StatementPtr>& statements);
  Flow one(const cell::Statement& statement);
  Flow flow(const cell::Statement& statement);
  Flow block(const std::vector<cell::StatementPtr>& statements);
  Flow loop_over(const cell::RangeFor& loop, const cell::Statement& whole);
  Flow leave(const cell::Return& statement, cell::Span span);
  Flow choose(const cell::Switch& chosen);
  Flow on_device(const cell::OnDevice& there);
  Flow expanded(const MacroStatements::Expansion& expansion);
  Error no_way_to_label(const cell::Statement& statement);
  class Loop;
  std::optional<std::uint64_t> passes_of(const cell::For& loop);
  Flow loop_body(const cell::Statement& body);
  bool truth(const cell::Expression& condition);
  void perform(const cell::Expression& expression);  // for its effects

  bool ended_ = false;
  Value returned_ = Nothing{};
  std::string label_;  // that a goto jumps to
  // For the line of progress: the passes of the outermost loop if their number is known, otherwise those of all loops.
  std::uint64_t passes_ = 0, total_ = 0;  // total 0: not known
  int loops_ = 0;                         // loops that run now, one inside the other
};

}  // namespace xcuda::interpreter
