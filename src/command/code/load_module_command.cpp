// %load_module
#include <fmt/format.h>

#include <filesystem>

#include "base/input_file.hpp"
#include "command/code/module_text.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kMostModule = std::uint64_t{512} << 20;  // bytes

void run_load_module(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& path = call.arguments.operands[0];
  const auto& name = call.arguments.operands[1];
  const auto extension = std::filesystem::path(path.text).extension();
  if (extension != ".ptx" && extension != ".cubin")
    throw call.error(ErrorKind::unsupported, fmt::format("{} is not a file of PTX or machine code", path.text), path)
        .advise("Create file.ptx with nvcc -ptx, which runs on every device, or file.cubin with nvcc -cubin.");
  call.run.current = path.span;  // where the file cannot be read
  const auto kind = extension == ".cubin" ? files::ModuleFile::Kind::cubin : files::ModuleFile::Kind::ptx;
  const files::ModuleFile file{name.text, path.text, {}, kind, read_file(path.text, kMostModule)};
  show_module(call, call.session.code().load_file(call.run, file, path.span));
}

}  // namespace

Command load_module_command() {
  return {
      .name = "load_module",
      .operand = Operand::path,
      .usage = "%load_module file.ptx|file.cubin name",
      .summary = "Load a file of PTX or machine code as a module and launch its kernels by name",
      .details =
          "nvcc -ptx, nvcc -cubin and other compilers write such files. The ELF of a CUBIN lists its kernels, the "
          "sizes of their parameters and its variables; a CUBIN runs on GPUs of its architecture, but not on the CPU "
          "device. Types are known if the names are mangled. A part of a long name (whole words, in no other kernel's "
          "name) and the mangled name find a kernel, too. Loading a name again replaces the old module.",
      .setup =
          "!printf '.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry nothing() { ret; }\\n' > "
          "nothing.ptx\n",
      .example =
          "%load_module nothing.ptx nothing\n"
          "nothing<<<1, 1>>>();\n",
      .run = run_load_module,
  };
}

}  // namespace xcuda::command
