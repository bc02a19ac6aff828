// Calls of host modules in a process of the GPU. Their own CUDA Runtime finds the primary context, which is the
// device's.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "device/cuda/driver.hpp"
#include "device/host_modules.hpp"

namespace xcuda::device::cuda {

class GpuHostCalls {
 public:
  explicit GpuHostCalls(const Driver& driver);  // the context is current

  HostModuleInfo load(const HostModuleImage& image);
  void unload(ModuleId id);
  void clear() { modules_.clear(); }
  using FindStream = std::function<std::optional<CUstream>(StreamId)>;
  std::optional<RefusedLaunch> run(const HostCall& call, std::span<std::byte> staging, const FindStream& stream);

 private:
  void keep_context();  // whatever cudaSetDevice() of a module has chosen

  const Driver& driver_;
  CUcontext context_ = nullptr;
  HostModules modules_;
};

}  // namespace xcuda::device::cuda
