// %%ptx, %load_module: modules that no cell compiled.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"

namespace xcuda::command {
namespace {

// "scale(8, 4, 4 bytes)", or the types where the symbol tells them.
std::string kernel_text(const compiler::KernelSignature& kernel) {
  std::string parameters;
  for (const auto& parameter : kernel.parameters) {
    if (!parameters.empty()) parameters += ", ";
    parameters += kernel.types_known ? parameter.type : fmt::format("{}", parameter.size);
  }
  if (!kernel.types_known && !kernel.parameters.empty())
    parameters += kernel.parameters.back().size == 1 && kernel.parameters.size() == 1 ? " byte" : " bytes";
  return fmt::format("{}({})", kernel.name, parameters);
}

constexpr std::uint64_t kMostModule = std::uint64_t{512} << 20;  // bytes

void show_module(Invocation& call, const session::Module& module) {
  std::string text = fmt::format("{} is loaded:", module.source);
  for (const auto& kernel : module.output.kernels) text += fmt::format("\n  kernel {}", kernel_text(kernel));
  for (const auto& variable : module.output.variables)
    text += fmt::format("\n  {} {}, {}", variable.constant ? "__constant__" : "__device__", variable.name,
                        format_bytes(variable.size));
  call.show(display::text_bundle(text));
}

}  // namespace

void run_ptx_cell(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& name = call.arguments.operands[0];
  // The lines before the body are kept empty, so that an error's line is the cell's.
  const auto line = line_column(call.run.source.text, call.magic.body_span.begin).line;
  std::string text(static_cast<std::size_t>(std::max(line - 1, 0)), '\n');
  text += call.magic.body;
  const files::ModuleFile file{name.text, call.run.source.name, {}, files::ModuleFile::Kind::ptx, std::move(text)};
  show_module(call, call.session.load_module(call.run, file, name.span));
}

void run_load_module(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& path = call.arguments.operands[0];
  const auto& name = call.arguments.operands[1];
  const auto extension = std::filesystem::path(path.text).extension();
  if (extension != ".ptx" && extension != ".cubin")
    throw call.error(ErrorKind::unsupported, fmt::format("{} is no file of PTX or machine code", path.text), path)
        .advise("nvcc -ptx makes file.ptx, which runs on every device, and nvcc -cubin file.cubin.");
  call.run.current = path.span;  // where the file cannot be read
  const auto kind = extension == ".cubin" ? files::ModuleFile::Kind::cubin : files::ModuleFile::Kind::ptx;
  const files::ModuleFile file{name.text, path.text, {}, kind, read_file(path.text, kMostModule)};
  show_module(call, call.session.load_module(call.run, file, path.span));
}

}  // namespace xcuda::command
