// %pip
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/paths.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/system/script_commands.hpp"

namespace xcuda::command {
namespace {

// The Python that this kernel is installed beside; else the one of the active environment, else the first on PATH.
std::string python() {
  std::vector<std::string> candidates{sibling_program("python3")};
  for (const auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* folder = std::getenv(name)) candidates.push_back(std::string(folder) + "/bin/python3");
  for (const auto& path : candidates)
    if (access(path.c_str(), X_OK) == 0) return quoted_for_shell(path);
  return "python3";
}

void run_pip(Invocation& call) {
  call.session.commands().shell(call.session, call.run, {fmt::format("{} -m pip {}", python(), call.magic.line)},
                                call.magic.name_span);
}

}  // namespace

Command pip_command() {
  return {
      .name = "pip",
      .operand = Operand::raw,
      .usage = "%pip install package ...",
      .summary = "Run pip of the Python environment that the kernel is installed in",
      .details = "What NVIDIA's packages bring (headers, NVRTC, libraries) is found after %restart.",
      .example = "%pip --version\n",
      .run = run_pip,
  };
}

}  // namespace xcuda::command
