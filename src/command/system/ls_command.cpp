// %ls
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_ls(Invocation& call) {
  call.session.commands().shell(call.session, call.run, {"ls -F " + call.magic.line}, call.magic.name_span);
}

}  // namespace

Command ls_command() {
  return {
      .name = "ls",
      .operand = Operand::raw,
      .usage = "%ls [options] [files]",
      .summary = "List files",
      .details = "It is `!ls -F`: all options and patterns of ls work.",
      .setup = "!touch a.npy b.npy\n",
      .example = "%ls -1 *.npy\n",
      .run = run_ls,
  };
}

}  // namespace xcuda::command
