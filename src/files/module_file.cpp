#include "files/module_file.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "base/demangle.hpp"
#include "base/error.hpp"
#include "compiler/cubin.hpp"
#include "compiler/signature.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::files {
namespace {

// What a file of PTX begins with, where a cell leaves it out.
std::string with_head(std::string ptx, const std::string& architecture) {
  if (ptx.find(".version") != std::string::npos) return ptx;
  const auto number = architecture.substr(architecture.find('_') + 1);
  // On the first line, so that every other one keeps its number.
  return fmt::format(".version 8.0 .target sm_{} .address_size 64 {}", number, ptx);
}

}  // namespace

compiler::CompileOutput read_module(ModuleFile file) {
  compiler::CompileOutput output;
  output.ok = true;
  output.name = file.name;
  output.architecture = file.architecture;
  ptx::Module module;
  if (file.kind == ModuleFile::Kind::ptx) {
    output.ptx = with_head(std::move(file.bytes), file.architecture);
    module = ptx::parse_declarations(output.ptx, file.name);
  } else {
    const auto bytes = std::as_bytes(std::span(file.bytes));
    module = compiler::read_cubin(bytes, file.source);
    output.architecture = module.target;
    output.ptx = compiler::declarations_of(module);
    output.cubin.assign(bytes.begin(), bytes.end());
  }
  output.kernels = compiler::kernel_signatures({module, {}, {}, {}});
  for (auto& kernel : output.kernels)
    for (auto& parameter : kernel.parameters)
      if (parameter.type.empty())
        parameter.type = fmt::format("{} byte{}", parameter.size, parameter.size == 1 ? "" : "s");
  for (const auto& variable : module.variables) {
    if (!variable.lasts()) continue;
    const auto name = demangled(variable.name);
    output.variables.push_back(
        {name, variable.name, {}, variable.size, variable.space == ptx::Space::constant, file.name});
  }
  if (output.kernels.empty() && output.variables.empty())
    throw Error(ErrorKind::compile, fmt::format("{} has neither a kernel nor a variable", file.name))
        .advise("PTX defines a kernel with .visible .entry name(.param .u64 x) { ... }");
  return output;
}

}  // namespace xcuda::files
