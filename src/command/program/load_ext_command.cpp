// %load_ext, %reload_ext
#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

// Extensions whose magics are commands of this kernel, under the names by which people load them.
constexpr std::string_view kBuiltIn[] = {"nvcc4jupyter", "nvcc_plugin"};

void run_load_ext(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& word = call.arguments.operands[0];
  if (among(word.text, kBuiltIn)) return;
  throw call.error(ErrorKind::unsupported, fmt::format("{} is an extension of IPython", word.text), word)
      .advise("There is nothing to load: a cell is CUDA C++, and %lsmagic lists the commands.");
}

}  // namespace

Command load_ext_command() {
  return {
      .name = "load_ext",
      .operand = Operand::text,
      .usage = "%load_ext nvcc4jupyter",
      .summary = "Accept notebooks that were written for nvcc4jupyter",
      .details = "It does nothing: %%cuda, %%cu and the commands of groups are always there.",
      .example = "%load_ext nvcc4jupyter\n",
      .run = run_load_ext,
  };
}

}  // namespace xcuda::command
