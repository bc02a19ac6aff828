// %lsmagic
#include "command/help.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_lsmagic(Invocation& call) { call.show(magic_list()); }

}  // namespace

Command lsmagic_command() {
  return {
      .name = "lsmagic",
      .operand = Operand::none,
      .usage = "%lsmagic",
      .summary = "List the commands",
      .example = "%lsmagic\n",
      .run = run_lsmagic,
  };
}

}  // namespace xcuda::command
