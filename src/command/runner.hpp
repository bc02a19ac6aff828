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

// What a command has left in the background, as a line for the user; empty when that is nothing.
std::string note_of(const shell::CommandEnd& end);
// Throws when it was killed because it had too many processes (%config processes).
void check_crowd(const shell::CommandEnd& end, std::string_view what, std::uint64_t most);

// Runs a line; its output goes to the sink as it comes, and the names of what it leaves in the background after it.
// Errors: io (an exit status other than 0, or the shell cannot be started), interrupted.
void run_shell(shell::Shell& shell, const shell::Command& command, session::Sink& sink, Interrupt& interrupt);

}  // namespace xcuda::command
