// Finds the row of a magic, reads its words and runs it.
#pragma once

#include <optional>

#include "command/command_table.hpp"
#include "command/draw/frames.hpp"
#include "nvcc/programs.hpp"
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

  nvcc::Programs& programs();  // made when they are first wanted
  Frames& frames() { return frames_; }

 private:
  Frames frames_;
  shell::Shell shell_;
  std::optional<nvcc::Programs> programs_;
};

// A line for the user about processes that a command left in the background; empty without any.
std::string note_of(const shell::CommandEnd& end);
// Throws when the command was killed because it had too many processes (%config processes).
void check_crowd(const shell::CommandEnd& end, std::string_view what, std::uint64_t most);

// Runs a line; its output goes to the sink as it comes, then the names of processes that it leaves in the background.
// Errors: io (an exit status other than 0, or the shell cannot be started), interrupted.
void run_shell(shell::Shell& shell, const shell::Command& command, session::Sink& sink, Interrupt& interrupt);

}  // namespace xcuda::command
