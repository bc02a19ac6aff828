// %pip
#include <fmt/format.h>

#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "python/python_client.hpp"
#include "shell/shell.hpp"

namespace xcuda::command {
namespace {

void run_pip(Invocation& call) {
  const auto found = python::find_python().interpreter;
  const auto interpreter = found.empty() ? "python3" : shell::quoted(found);
  call.session.commands().shell(call.session, call.run, {fmt::format("{} -m pip {}", interpreter, call.magic.line)},
                                call.magic.name_span);
}

}  // namespace

Command pip_command() {
  return {
      .name = "pip",
      .operand = Operand::raw,
      .usage = "%pip install package ...",
      .summary = "Run pip of the environment that %%python runs in",
      .details = "What NVIDIA's packages bring (headers, NVRTC, libraries) is found after %restart.",
      .example = "%pip --version\n",
      .run = run_pip,
  };
}

}  // namespace xcuda::command
