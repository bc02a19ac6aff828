#include "session/modules.hpp"

#include <algorithm>

namespace xcuda::session {
namespace {

const device::FunctionInfo* find_function(const device::ModuleInfo& info, const std::string& entry) {
  for (const auto& function : info.functions)
    if (function.entry == entry) return &function;
  return nullptr;
}

}  // namespace

bool same_parameters(const compiler::KernelSignature& a, const compiler::KernelSignature& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                    [](const compiler::Parameter& p, const compiler::Parameter& q) { return p.type == q.type; });
}

Module& ModuleTable::add(Module module) {
  modules_.push_back(std::make_unique<Module>(std::move(module)));
  const Module& added = *modules_.back();
  for (const auto& signature : added.output.kernels) {
    const auto* function = find_function(added.info, signature.entry);
    if (function == nullptr) continue;  // the device did not take it
    auto& overloads = kernels_[signature.name];
    std::erase_if(overloads, [&](const Kernel& old) { return same_parameters(*old.signature, signature); });
    overloads.insert(overloads.begin(), {&added, &signature, function});
  }
  return *modules_.back();
}

Module& ModuleTable::replace(const Module& old, Module again) {
  modules_.push_back(std::make_unique<Module>(std::move(again)));
  Module& added = *modules_.back();
  for (auto& [name, overloads] : kernels_) {
    for (auto& kernel : overloads) {
      if (kernel.module != &old) continue;
      const auto line = kernel.signature->line;
      kernel.function = nullptr;
      for (const auto& signature : added.output.kernels)
        if (signature.name == name && signature.line == line)
          kernel = {&added, &signature, find_function(added.info, signature.entry)};
    }
    std::erase_if(overloads, [](const Kernel& kernel) { return kernel.function == nullptr; });
  }
  std::erase_if(kernels_, [](const auto& entry) { return entry.second.empty(); });
  return added;
}

Module& ModuleTable::of(const Kernel& kernel) {
  return **std::find_if(modules_.begin(), modules_.end(),
                        [&](const auto& module) { return module.get() == kernel.module; });
}

void ModuleTable::forget(const std::string& kernel, const Module* except) {
  const auto matches = [&](const std::string& name) {
    // A template's instances go with it: "scale" takes "scale<double>" along.
    return name == kernel || (name.starts_with(kernel) && name.size() > kernel.size() && name[kernel.size()] == '<');
  };
  for (auto entry = kernels_.begin(); entry != kernels_.end();) {
    if (matches(entry->first)) std::erase_if(entry->second, [&](const Kernel& old) { return old.module != except; });
    entry = entry->second.empty() ? kernels_.erase(entry) : std::next(entry);
  }
}

std::vector<device::ModuleId> ModuleTable::drop_unused() {
  std::vector<device::ModuleId> dropped;
  std::erase_if(modules_, [&](const std::unique_ptr<Module>& module) {
    if (module->output.kernels.empty()) return false;  // variables only
    for (const auto& [name, overloads] : kernels_)
      for (const auto& kernel : overloads)
        if (kernel.module == module.get()) return false;
    dropped.push_back(module->id);
    return true;
  });
  return dropped;
}

const std::vector<Kernel>& ModuleTable::find(const std::string& name) const {
  static const std::vector<Kernel> none;
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? none : found->second;
}

std::vector<std::string> ModuleTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, overloads] : kernels_) names.push_back(name);
  return names;
}

void ModuleTable::refresh(device::ModuleId id, device::ModuleInfo info) {
  for (auto& module : modules_)
    if (module->id == id) {
      // Functions are found by index order, which a reload of one image keeps; only addresses change.
      module->info.variables = std::move(info.variables);
    }
}

void ModuleTable::prepare_again() {
  for (auto& module : modules_) module->prepared = false;
}

std::vector<Module*> ModuleTable::not_prepared() {
  std::vector<Module*> found;
  for (auto& module : modules_)
    if (!module->prepared) found.push_back(module.get());
  return found;
}

}  // namespace xcuda::session
