// Modules that no cell compiled: PTX written by hand or by another compiler.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "compiler/ptx_scan.hpp"
#include "compiler/signature.hpp"
#include "session/session.hpp"

namespace xcuda::session {
namespace {

// What a file of PTX begins with, where a cell leaves it out.
std::string with_head(std::string ptx, const std::string& architecture) {
  if (ptx.find(".version") != std::string::npos) return ptx;
  const auto number = architecture.substr(architecture.find('_') + 1);
  // On the first line, so that every other one keeps its number.
  return fmt::format(".version 8.0 .target sm_{} .address_size 64 {}", number, ptx);
}

}  // namespace

const Module& Session::load_ptx(CellRun& run, const PtxModule& request) {
  forbid_in_capture("a module is loaded");
  compiler::CompileOutput output;
  output.ok = true;
  output.name = request.name;
  output.architecture = request.cubin.empty() ? device_info().architecture : request.architecture;
  output.ptx = with_head(request.text, output.architecture);
  output.cubin = request.cubin;
  const auto facts = compiler::scan_ptx(output.ptx);
  output.kernels = compiler::kernel_signatures({facts, {}, {}, {}});
  for (auto& kernel : output.kernels)
    for (auto& parameter : kernel.parameters)
      if (parameter.type.empty())
        parameter.type = fmt::format("{} byte{}", parameter.size, parameter.size == 1 ? "" : "s");
  for (const auto& variable : facts.variables) {
    const auto name = compiler::demangle(variable.symbol).value_or(variable.symbol);
    output.variables.push_back({name, variable.symbol, {}, variable.size, variable.constant, request.name});
  }
  if (output.kernels.empty() && output.variables.empty())
    throw Error(ErrorKind::compile, fmt::format("{} has neither a kernel nor a variable", request.name))
        .at(place_of(run.source, request.span))
        .advise("PTX defines a kernel with .visible .entry name(.param .u64 x) { ... }");

  Module module{device::ModuleId{next_module_++}, request.name, std::move(output), {}};
  module.info = device().load_module(
      {module.id, request.source, module.output.ptx, module.output.cubin, module.output.architecture, {}});
  // The module of this name that was loaded before goes, with all that it defined.
  std::vector<std::string> old;
  for (const auto& known : modules_.all())
    if (known->source == request.name)
      for (const auto& kernel : known->output.kernels) old.push_back(kernel.name);
  auto& added = modules_.add(std::move(module));
  variables_.add_module(added.id, added.output.variables, added.info);
  for (const auto& kernel : old) modules_.forget(kernel, &added);
  for (const auto id : modules_.drop_unused()) {
    if (id == added.id) continue;
    variables_.remove_module(device(), id);
    device().unload_module(id);
  }
  return added;
}

}  // namespace xcuda::session
