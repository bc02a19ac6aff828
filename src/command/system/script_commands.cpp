// %%bash, %%sh
#include "command/system/script_commands.hpp"

#include <fmt/format.h>

#include <utility>

#include "command/rows.hpp"
#include "shell/shell.hpp"

namespace xcuda::command {

void run_script(Invocation& call, std::string_view program) {
  std::string line = fmt::format("exec {} -c {} {}", program, shell::quoted(call.magic.body), program);
  bool first = true;  // bash -s 1 2 is how IPython says that 1 and 2 are arguments
  for (const auto& word : call.arguments.operands)
    if (!std::exchange(first, false) || word.text != "-s") line += " " + shell::quoted(word.text);
  constexpr std::size_t kMost = 120'000;  // bytes: Linux takes 128 KiB in one argument
  if (line.size() > kMost)
    throw call
        .error(ErrorKind::value, fmt::format("the script has {} bytes, more than the {} that {} can be given",
                                             call.magic.body.size(), kMost, program))
        .advise("%%writefile script.sh writes it to a file, and !sh script.sh runs that.");
  call.session.commands().shell(call.session, call.run, {line}, call.magic.name_span);
}

namespace {

constexpr std::string_view kDetails =
    "The cell is one script, run from the folder of the session. Its output is shown as it comes; an exit status other "
    "than 0 is an error, so a script that begins with `set -e` ends the cell at its first failure. Words after the "
    "name are $1, $2, ... of the script. Interrupt ends it.";

}  // namespace

Command bash_command() {
  return {
      .name = "bash",
      .shape = Shape::cell,
      .operand = Operand::raw,
      .usage = "%%bash [arguments]",
      .summary = "Run the cell with bash",
      .details = kDetails,
      .example =
          "%%bash\n"
          "for i in 1 2 3; do echo \"$i: $((i * i))\"; done\n",
      .run = [](Invocation& call) { run_script(call, "bash"); },
  };
}

Command sh_command() {
  return {
      .name = "sh",
      .shape = Shape::cell,
      .operand = Operand::raw,
      .usage = "%%sh [arguments]",
      .summary = "Run the cell with sh",
      .details = kDetails,
      .example =
          "%%sh one two\n"
          "echo \"$# arguments, the first is $1\"\n",
      .run = [](Invocation& call) { run_script(call, "sh"); },
  };
}

}  // namespace xcuda::command
