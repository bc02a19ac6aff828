#include "device/cuda/gpu_host_calls.hpp"

namespace xcuda::device::cuda {

GpuHostCalls::GpuHostCalls(const Driver& driver) : driver_(driver) {
  driver_.check(driver_.cuCtxGetCurrent(&context_), "find the GPU's context");
}

HostModuleInfo GpuHostCalls::load(const HostModuleImage& image) {
  auto info = modules_.load(image);
  keep_context();
  return info;
}

void GpuHostCalls::unload(ModuleId id) {
  driver_.check(driver_.cuCtxSynchronize(), "wait for the GPU before unloading a host module");
  modules_.unload(id);
}

std::optional<RefusedLaunch> GpuHostCalls::run(const HostCall& call, std::span<std::byte> staging,
                                               const FindStream& stream) {
  for (const auto& argument : call.arguments)
    if (argument.kind == HostArgument::Kind::stream && !stream(argument.stream))
      return RefusedLaunch{call.number, "the stream does not exist", "Declare it: stream s;"};
  auto refused = modules_.call(call, staging, [&](StreamId id) -> void* { return *stream(id); });
  keep_context();
  return refused;
}

// A context that a fault has ended says so at the next synchronisation.
void GpuHostCalls::keep_context() { driver_.cuCtxSetCurrent(context_); }

}  // namespace xcuda::device::cuda
