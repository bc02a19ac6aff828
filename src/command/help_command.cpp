// %help
#include "command/help.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_help(Invocation& call) {
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) return call.show(help_page());
  const auto& word = call.arguments.operands[0];
  auto name = std::string_view(word.text);
  while (name.starts_with('%')) name.remove_prefix(1);
  call.run.current = word.span;
  if (const auto* command = find(name)) return call.show(command_help(*command));
  call.show(help_on(name, scope_of(call.session)));
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .operand = Operand::command,
      .usage = "%help [command]",
      .summary = "Explain the language, or one command",
      .example = "%help launch\n",
      .run = run_help,
  };
}

}  // namespace xcuda::command
