// !command
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

#include "base/text.hpp"
#include "command/rows.hpp"
#include "command/runner.hpp"
#include "shell/shell.hpp"

namespace xcuda::command {

std::string note_of(const shell::CommandEnd& end) {
  if (end.left.empty()) return {};
  const auto count = end.left.size() + end.more;
  auto text = fmt::format(
      "[{} of this command still run{} in the background, until the kernel ends. What {} from now on is dropped.]\n",
      count == 1 ? "1 process" : fmt::format("{} processes", count), count == 1 ? "s" : "",
      count == 1 ? "it writes" : "they write");
  for (const auto& left : end.left) text += fmt::format("  {}  {}\n", left.pid, valid_utf8(left.command));
  if (end.more > 0) text += fmt::format("  and {} more\n", end.more);
  return text;
}

void check_crowd(const shell::CommandEnd& end, std::string_view what, std::uint64_t most) {
  if (end.crowd == 0) return;
  throw Error(ErrorKind::io,
              fmt::format("{} was killed: it had {} processes at once, but the limit is {}", what, end.crowd, most))
      .advise("Change the limit with %config processes; off means no limit.");
}

void run_shell(shell::Shell& shell, const shell::Command& command, session::Sink& sink, Interrupt& interrupt) {
  const auto end = shell.run(
      command, [&](OutputStream which, std::string_view text) { sink.stream(which, text); }, interrupt);
  if (const auto note = note_of(end); !note.empty()) sink.stream(OutputStream::err, note);
  interrupt.check();
  check_crowd(end, "the command", command.processes);
  const int status = end.status;
  if (WIFSIGNALED(status))
    throw Error(ErrorKind::io, fmt::format("the command was killed by SIG{} ({})", sigabbrev_np(WTERMSIG(status)),
                                           strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) == 127) throw Error(ErrorKind::io, "the command was not found (exit status 127)");
  if (WEXITSTATUS(status) != 0)
    throw Error(ErrorKind::io, fmt::format("the command exited with status {}", WEXITSTATUS(status)));
}

Command shell_command() {
  return {
      .name = "!command",
      .shape = Shape::notation,
      .operand = Operand::text,
      .usage = "!command",
      .summary = "Run a shell command",
      .details =
          "/bin/sh runs it, with an empty stdin. Its output appears as it comes; an exit status other than 0 is an "
          "error. The cell goes on when the shell ends and lists the processes that still run in the background "
          "(`!server &`) with their process ids. What they write after that is dropped, so send it to a file (`!server "
          "> server.log 2>&1 &`). They end with the kernel, even after `nohup` and `setsid`.",
      .example = "!echo hello\n",
  };
}

}  // namespace xcuda::command
