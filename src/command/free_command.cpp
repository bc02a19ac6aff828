// %free
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_free(Invocation& call) {
  if (call.arguments.has("--all")) {
    call.expect_operands(0, 0);
    for (const auto& name : call.session.arrays().names()) call.session.arrays().free(name);
    return;
  }
  call.expect_operands(1, 1000);
  for (const auto& word : call.arguments.operands) call.array(word);  // all of them, or none is freed
  for (const auto& word : call.arguments.operands) call.session.arrays().free(word.text);
}

}  // namespace

Command free_command() {
  return {
      .name = "free",
      .operand = Operand::arrays,
      .usage = "%free x y ...",
      .summary = "Free arrays and forget their names",
      .options = {{.name = "--all", .help = "free every array"}},
      .setup = "float spare[16];\n",
      .example = "%free spare\n",
      .run = run_free,
  };
}

}  // namespace xcuda::command
