// %sass
#include <fmt/format.h>

#include "command/code/disassemble.hpp"
#include "command/code/machine_code_lines.hpp"
#include "command/code/module_text.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/readable_name.hpp"

namespace xcuda::command {
namespace {

constexpr std::string_view kVariantOptions[] = {"--block", "--unchecked", "--race", "--init"};

void run_sass(Invocation& call) {
  call.expect_operands(1, 1);
  const auto kernel = call.kernel(call.arguments.operands[0]);
  const bool gpu = call.session.device_info().kind == device::Kind::cuda;
  std::optional<cell::Word> variant;
  for (const auto option : kVariantOptions)
    if (!variant && call.arguments.has(option)) variant = call.arguments.word(option);
  if (gpu && variant)
    throw call.error(ErrorKind::value, "a GPU runs the same machine code for every block, without checks", *variant)
        .advise("--block, --unchecked, --race and --init are for the CPU device.");
  const auto& output = kernel.module->output;
  if (!gpu && (variant || output.cubin.empty() || call.session.parts().disassembler.empty()))
    return show_machine_code(call, kernel);
  const auto listing = disassembled(call, output, kernel.signature->name);
  call.show(display::sass_bundle(
      fmt::format("SASS of {} for {}", display::readable_name(kernel.signature->name), output.architecture),
      section_of(listing, kernel.signature->entry), source_files(call.session, output.ptx)));
}

}  // namespace

Command sass_command() {
  return {
      .name = "sass",
      .operand = Operand::kernel,
      .usage = "%sass kernel",
      .summary = "Show a kernel's machine code, grouped by the lines of its cell",
      .details =
          "For a GPU this is SASS, which needs nvdisasm from a CUDA toolkit or from pip install nvidia-cuda-nvdisasm; "
          "%%kernel -arch=sm_90 makes it on any machine. For the CPU device it is the native code that LLVM generated, "
          "with the cell's line before its instructions. There a warp is one thread of vector code, and each line has "
          "two versions: one for when all 32 lanes are active, and one, marked [some lanes], for when they have "
          "diverged. A loop that lanes leave in different iterations can have a third, marked [one lane], that runs "
          "one lane after another. The code depends on the shape of the blocks and on the checks.",
      .options = {{.name = "--block",
                   .type = OptionType::text,
                   .value = "X,Y,Z",
                   .help = "CPU device: the code for blocks of this size (256)"},
                  {.name = "--unchecked", .help = "CPU device: the code without bounds checks"},
                  {.name = "--race", .help = "CPU device: the code that records accesses for --race"},
                  {.name = "--init", .help = "CPU device: the code that records accesses for --init"}},
      .setup = kScaleSetup,
      .example = "",  // depends on the machine: it may have a GPU and no disassembler
      .run = run_sass,
  };
}

}  // namespace xcuda::command
