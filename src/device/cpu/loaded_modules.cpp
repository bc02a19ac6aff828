#include "device/cpu/loaded_modules.hpp"

#include <algorithm>
#include <chrono>

#include "ptx/machine_code.hpp"

namespace xcuda::device::cpu {

const FunctionInfo* kernel_of(const LoadedModule& program, std::string_view entry) {
  const auto& functions = program.functions();
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.entry == entry; });
  return found == functions.end() ? nullptr : &*found;
}

ModuleInfo LoadedModules::load(const ModuleImage& image) {
  using Clock = std::chrono::steady_clock;
  check_free(image.id);
  if (image.ptx.starts_with(ptx::kMachineCodeAlone))
    throw Error(ErrorKind::unsupported, fmt::format("{} is machine code for {}, but the CPU device compiles PTX",
                                                    image.name, image.architecture))
        .advise("Use PTX, which runs on both: nvcc -ptx, then %load_module file.ptx name.");
  const Clock::time_point start = Clock::now();
  Module module;
  module.program = translator_.load({image.name, image.ptx});
  add_variables(*module.program);
  module.load_time = (Clock::now() - start) / std::chrono::nanoseconds(1);
  return info_of(modules_.emplace(image.id, std::move(module)).first->second);
}

void LoadedModules::add_variables(const LoadedModule& program) {
  for (const VariableInfo& variable : program.variables())
    if (variable.size > 0) space_.variables.emplace(variable.address, variable);
}

void LoadedModules::drop_variables(const LoadedModule& program) {
  for (const VariableInfo& variable : program.variables()) space_.variables.erase(variable.address);
}

void LoadedModules::unload(ModuleId id) {
  drop_variables(*loaded(id).program);
  modules_.erase(id);
}

std::vector<std::byte> LoadedModules::place_variables(ModuleId id, const std::vector<VariableInfo>& variables) {
  LoadedModule& program = *loaded(id).program;
  for (const VariableInfo& variable : variables)
    if (space_.memory.find(variable.address, variable.size) == nullptr)
      throw Error(ErrorKind::value, fmt::format("{} cannot be at {:#x}: that is not entirely memory of this session",
                                                variable.symbol, variable.address));
  drop_variables(program);
  std::vector<std::byte> initial = program.place_variables(variables);
  add_variables(program);
  return initial;
}

ModuleInfo LoadedModules::info(ModuleId id) { return info_of(loaded(id)); }

LoadedModule* LoadedModules::find(ModuleId id) {
  const auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second.program.get();
}

const FunctionInfo& LoadedModules::kernel(ModuleId id, std::string_view entry) {
  const FunctionInfo* found = kernel_of(*loaded(id).program, entry);
  if (!found)
    throw Error(ErrorKind::name, fmt::format("module {} has no kernel `{}`", static_cast<unsigned>(id), entry));
  return *found;
}

void LoadedModules::prepare(const PrepareRequest& request) {
  if (LoadedModule* program = find(request.module)) program->prepare(request.entry, request.checks);
}

MachineCode LoadedModules::machine_code(const CodeRequest& request, const CompileWait& wait) {
  const FunctionInfo& wanted = kernel(request.module, request.entry);
  return find(request.module)->machine_code({wanted.entry, {}, request.block, request.checks}, wait);
}

LoadedModules::Module& LoadedModules::loaded(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) throw missing("module", id);
  return found->second;
}

namespace {

// Texts of printf, assert and the program are variables to PTX, but not to people.
bool is_text(const VariableInfo& variable) {
  return variable.symbol.starts_with('$') || variable.symbol.starts_with("__unnamed_");
}

}  // namespace

std::vector<VariableInfo> LoadedModules::texts(ModuleId id) {
  std::vector<VariableInfo> texts = loaded(id).program->variables();
  std::erase_if(texts, [](const VariableInfo& variable) { return !is_text(variable); });
  return texts;
}

ModuleInfo LoadedModules::info_of(const Module& module) {
  ModuleInfo info{module.program->functions(), {}, module.load_time, ""};
  for (FunctionInfo& function : info.functions) function.native = module.program->native_codes(function.entry);
  for (const VariableInfo& variable : module.program->variables())
    if (!is_text(variable)) info.variables.push_back(variable);
  return info;
}

}  // namespace xcuda::device::cpu
