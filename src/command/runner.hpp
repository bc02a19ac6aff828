// Finds the row of a magic, reads its words and runs it.
#pragma once

#include "command/command_table.hpp"
#include "session/session.hpp"
#include "shell/shell.hpp"

namespace xcuda::command {

class Runner final : public session::Commands {
 public:
  cell::Grammar grammar() const override { return command::grammar; }
  void check(const session::CellRun& run, const cell::Magic& magic) override;
  void run(session::Session& session, session::CellRun& run, const cell::Magic& magic) override;
  void help(session::Session& session, session::CellRun& run, const cell::Help& help, cell::Span span) override;
  void shell(session::Session& session, session::CellRun& run, const cell::Shell& shell, cell::Span span) override;
  void cell_ended(session::Session& session) override;

 private:
  shell::Shell shell_;
};

// Runs a line; its output goes to the sink as it comes, and the names of what it leaves in the background after it.
// Errors: io (an exit status other than 0, or the shell cannot be started), interrupted.
void run_shell(shell::Shell& shell, const std::string& line, session::Sink& sink, Interrupt& interrupt);

}  // namespace xcuda::command
