// %%ptx, %load_module: modules that no cell compiled.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "compiler/cubin.hpp"

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
  show_module(call, call.session.load_ptx(call.run, {name.text, call.run.source.name, std::move(text), name.span}));
}

namespace {

// A CUBIN runs on GPUs of its major architecture, from its minor one on.
void expect_fitting(const Invocation& call, const cell::Word& path, int architecture) {
  const auto& device = call.session.device_info();
  if (device.kind != "cuda") return;  // it says itself what it runs
  const bool fits = architecture / 10 == device.compute_major && architecture % 10 <= device.compute_minor;
  if (!fits)
    throw call
        .error(ErrorKind::value,
               fmt::format("{} is for sm_{}, and {} is sm_{}{}", path.text, architecture, device.name,
                           device.compute_major, device.compute_minor),
               path)
        .advise(
            fmt::format("Make it again with nvcc -cubin -arch=sm_{}{}, or a file of PTX, which runs on every device.",
                        device.compute_major, device.compute_minor));
}

constexpr std::uint64_t kMostModule = std::uint64_t{512} << 20;  // bytes

}  // namespace

void run_load_module(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& path = call.arguments.operands[0];
  const auto& name = call.arguments.operands[1];
  const auto extension = std::filesystem::path(path.text).extension();
  if (extension != ".ptx" && extension != ".cubin")
    throw call.error(ErrorKind::unsupported, fmt::format("{} is no file of PTX or machine code", path.text), path)
        .advise("nvcc -ptx makes file.ptx, which runs on every device, and nvcc -cubin file.cubin.");
  call.run.current = path.span;  // where the file cannot be read, or is no CUBIN
  auto text = read_file(path.text, kMostModule);
  session::Session::PtxModule request{name.text, path.text, {}, path.span};
  if (extension == ".cubin") {
    const auto bytes = std::as_bytes(std::span(text));
    const auto cubin = compiler::read_cubin(bytes, path.text);
    expect_fitting(call, path, cubin.architecture);
    request.cubin.assign(bytes.begin(), bytes.end());
    request.architecture = fmt::format("sm_{}", cubin.architecture);
    request.text = compiler::declarations_of(cubin);
  } else {
    request.text = std::move(text);
  }
  show_module(call, call.session.load_ptx(call.run, request));
}

}  // namespace xcuda::command
