#include "command/code/module_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/code/disassemble.hpp"
#include "command/invocation.hpp"
#include "display/readable_name.hpp"

namespace xcuda::command {
namespace {

// "scale(8, 4, 4 bytes)", or the types where the symbol tells them.
std::string kernel_text(const compiler::KernelSignature& kernel) {
  std::string parameters;
  for (const auto& parameter : kernel.parameters) {
    if (!parameters.empty()) parameters += ", ";
    parameters += kernel.types_known ? display::readable_name(parameter.type) : fmt::format("{}", parameter.size);
  }
  if (!kernel.types_known && !kernel.parameters.empty())
    parameters += kernel.parameters.back().size == 1 && kernel.parameters.size() == 1 ? " byte" : " bytes";
  return fmt::format("{}({})", display::readable_name(kernel.name), parameters);
}

// CUB, Thrust and libcu++ leave dozens of empty objects in every module that includes them.
bool is_of_library(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return has("cuda::std::") || has("thrust::") || has("cub::");
}

}  // namespace

// The cells that a module's PTX names, with their texts.
display::SourceFiles source_files(session::Session& session, const std::string& ptx) {
  auto files = display::files_of(ptx);
  for (auto& [number, file] : files)
    for (const auto& entry : session.history())
      if (entry.name == file.name) file.text = entry.code;
  return files;
}

std::string disassembled(Invocation& call, const compiler::CompileOutput& output, std::string_view what) {
  if (output.cubin.empty())
    throw call
        .error(ErrorKind::unsupported,
               fmt::format("{} has no machine code for a GPU: it was compiled for {}", what, output.architecture))
        .advise("Use %ptx to show its PTX, or %%kernel -arch=sm_90 to compile for a GPU.");
  const auto& program = call.session.parts().disassembler;
  if (program.empty())
    throw call.error(ErrorKind::unsupported, "found no disassembler on this machine")
        .advise(
            "Install nvdisasm: from a CUDA toolkit, or with pip install nvidia-cuda-nvdisasm next to NVRTC's wheel. "
            "xcuda --doctor shows where xcuda looks for it.");
  return disassemble(program, output.cubin, call.session.interrupt_flag());
}

void show_module(Invocation& call, const session::Module& module) {
  std::string text = fmt::format("{} is loaded:", module.source);
  for (const auto& kernel : module.output.kernels) text += fmt::format("\n  kernel {}", kernel_text(kernel));
  std::size_t others = 0;
  for (const auto& variable : module.output.variables) {
    if (is_of_library(variable.name))
      ++others;
    else
      text += fmt::format("\n  {} {}, {}", variable.constant ? "__constant__" : "__device__", variable.name,
                          format_bytes(variable.size));
  }
  if (others > 0) text += fmt::format("\n  and {} variable{} of CUDA's headers", others, others == 1 ? "" : "s");
  call.show(display::text_bundle(text));
}

}  // namespace xcuda::command
