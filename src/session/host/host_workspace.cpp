#include "session/host/host_workspace.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

constexpr std::uint64_t kAlignment = 256;  // bytes; of a variable in a module, as on a GPU

}  // namespace

const device::DeviceInfo& HostWorkspace::device_info() { return worker_.info(); }

compiler::CompileRequest HostWorkspace::beside_cells(const compiler::Program::Addition& addition) {
  auto request = SessionWorkspace::beside_cells(addition);
  request.architecture = worker_.info().architecture;
  return request;
}

arrays::Workspace::Loaded HostWorkspace::load(const compiler::CompileOutput& output) {
  const auto id = session_.code().next_module();
  auto info = worker_.process().load_module({id, "xcuda", output.ptx, {}, {}, {}});
  place_variables(id, output, info);
  return {id, std::move(info)};
}

void HostWorkspace::place_variables(device::ModuleId module, const compiler::CompileOutput& output,
                                    device::ModuleInfo& info) {
  std::vector<device::VariableInfo> placed;
  std::uint64_t bytes = 0;
  for (const auto& variable : info.variables) {
    const bool known = std::any_of(output.variables.begin(), output.variables.end(),
                                   [&](const auto& signature) { return signature.symbol == variable.symbol; });
    if (!known) continue;
    placed.push_back(variable);
    placed.back().address = bytes;
    bytes += arrays::ceil_div(variable.size, kAlignment) * kAlignment;
  }
  if (placed.empty()) return;
  const auto base = session_.chosen().memory().allocate(bytes, "variables of host code");
  variables_[module] = base;
  for (auto& variable : placed) variable.address += base;
  const auto initial = worker_.place_variables(module, placed);
  std::span<const std::byte> rest = initial;
  for (const auto& variable : placed) {
    session_.submission().write(variable.address, rest.first(variable.size));
    rest = rest.subspan(variable.size);
    for (auto& known : info.variables)
      if (known.symbol == variable.symbol) known.address = variable.address;
  }
  session_.variables().add_module(module, output.variables, info);
}

void HostWorkspace::unload(device::ModuleId module) {
  if (const auto memory = variables_.find(module); memory != variables_.end()) {
    session_.variables().remove_module(module);
    session_.chosen().memory().free(memory->second, session_.streams().reuse());
    variables_.erase(memory);
  }
  if (worker_.process().lives()) worker_.process().unload_module(module);
}

}  // namespace xcuda::session
