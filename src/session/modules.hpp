// Compiled and loaded modules, the kernels in them by name, and which cell they came from.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/compile_output.hpp"
#include "compiler/program.hpp"
#include "device/device.hpp"

namespace xcuda::session {

struct Module {
  device::ModuleId id{};
  std::string source;              // the cell, "In[7]"
  compiler::CompileOutput output;  // the PTX and the CUBIN in it are the image that the device keeps
  device::ModuleInfo info;
  compiler::Origin origin;  // what it was compiled from; without names where no cell was
  bool prepared = false;    // the device was told that its kernels may be launched

  device::ModuleImage image() const { return {id, source, output.ptx, output.cubin, output.architecture, output.log}; }
};

struct Kernel {
  const Module* module = nullptr;
  const compiler::KernelSignature* signature = nullptr;
  const device::FunctionInfo* function = nullptr;
};

bool same_parameters(const compiler::KernelSignature& a, const compiler::KernelSignature& b);

class ModuleTable {
 public:
  // Kernels of the module replace older ones of the same name and parameters; overloads coexist.
  Module& add(Module module);
  // Removes a kernel's name, all overloads; drop_unused() returns modules without names for unloading.
  void forget(const std::string& kernel, const Module* except = nullptr);
  // Adds a module that was compiled again: its kernels replace those that the old one still has.
  Module& replace(const Module& old, Module again);
  Module& of(const Kernel& kernel);
  std::vector<device::ModuleId> drop_unused();
  void clear() {
    kernels_.clear();
    modules_.clear();
  }

  // All overloads, the newest first; empty when there is none.
  const std::vector<Kernel>& find(const std::string& name) const;
  std::vector<std::string> names() const;
  const std::vector<std::unique_ptr<Module>>& all() const { return modules_; }
  std::vector<Module*> not_prepared();
  void prepare_again();  // on another device
  const Module* newest() const { return modules_.empty() ? nullptr : modules_.back().get(); }
  void refresh(device::ModuleId id, device::ModuleInfo info);  // after a restart

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, std::vector<Kernel>> kernels_;
};

}  // namespace xcuda::session
