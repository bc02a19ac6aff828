// A loaded module: its functions by entry name, its variables, and the driver's facts about them.
#pragma once

#include <map>
#include <string>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

struct Function {
  CUfunction raw = nullptr;
  FunctionInfo info;
  std::uint64_t dynamic_shared_allowed = 48 * 1024;  // bytes; raised on demand
};

class GpuModule {
 public:
  // Loads the CUBIN when there is one, else the PTX through the driver's JIT. Errors: compile, with the driver's log.
  GpuModule(const Driver& driver, const ModuleImage& image);

  const ModuleInfo& info() const { return info_; }
  // nullptr when there is no such entry.
  Function* find(const std::string& entry);

 private:
  void read_functions(const ModuleImage& image);

  const Driver& driver_;
  LoadedModule module_;
  std::map<std::string, Function> functions_;
  ModuleInfo info_;
};

}  // namespace xcuda::device::cuda
