// Runs statements in order: blocks, loops and branches; other parts run the simple statements and expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/host/macro_statements.hpp"
#include "interpreter/host/range_loops.hpp"
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

  // Destructors run although the statements that they follow have been left.
  class Aside {
   public:
    explicit Aside(Statements& statements)
        : statements_(statements), ended_(std::exchange(statements.ended_, false)), label_(statements.label_) {}
    ~Aside() {
      statements_.ended_ = statements_.ended_ || ended_;
      statements_.label_ = std::move(label_);
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    Statements& statements_;
    bool ended_;
    std::string label_;
  };

 private:
  // How to go on after a statement: go on, break, continue, leave all loops and blocks, or those up to a label.
  enum class Flow : std::uint8_t { next, leave, again, ended, jumped };
  static bool leaves_loop(Flow flow) { return flow == Flow::ended || flow == Flow::jumped; }
  Flow sequence(const std::vector<cell::StatementPtr>& statements);
  template <class Run> Flow scoped(const Run& run);
  Flow one(const cell::Statement& statement);
  Flow visit(const cell::Statement& statement);
  Flow flow(const cell::Statement& statement);
  Flow block(const std::vector<cell::StatementPtr>& statements);
  Flow loop_over(const cell::RangeFor& loop, const cell::Statement& whole);
  Flow passes_over(const cell::RangeFor& loop, RangeLoops::Range& range, const cell::Statement& whole);
  Flow loop(const cell::For& loop, const cell::Statement& whole);
  Flow leave(const cell::Return& statement, cell::Span span);
  Flow after_loop();  // whose rest may be native code
  Flow choose(const cell::Switch& chosen);
  Flow from_label(const cell::Switch& chosen, std::size_t first);
  Flow on_device(const cell::OnDevice& there);
  Flow attempt(const cell::Try& tried);
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
