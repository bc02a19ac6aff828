#include "runtime/kernels.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

device::Dim3 extents(const dim3& from) { return {from.x, from.y, from.z}; }

bool within(const dim3& extent, const device::Dim3& limit) {
  return extent.x > 0 && extent.y > 0 && extent.z > 0 && extent.x <= limit.x && extent.y <= limit.y &&
         extent.z <= limit.z;
}

// As on a GPU, these are told at once.
cudaError_t check(State& state, const LaunchCall& call, const Kernel& kernel) {
  const auto& limits = state.engine.info();
  const auto threads = extents(call.block).count();
  if (!within(call.grid, limits.max_grid) || !within(call.block, limits.max_block) ||
      threads > limits.max_threads_per_block)
    return cudaErrorInvalidConfiguration;
  const auto own = static_cast<std::uint64_t>(std::max(kernel.info->max_threads_per_block, 0));
  if (own > 0 && threads > own) return cudaErrorLaunchOutOfResources;
  if (call.shared > static_cast<std::size_t>(kernel.function->dynamic_shared) ||
      call.shared + kernel.info->shared_bytes > limits.shared_per_block_optin)
    return cudaErrorInvalidValue;
  if (call.mode == device::LaunchMode::cooperative) {
    const auto most = active_blocks(state, kernel, static_cast<int>(threads), call.shared);
    if (extents(call.grid).count() >
        static_cast<std::uint64_t>(most) * static_cast<std::uint64_t>(limits.multiprocessors))
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t find_kernel(State& state, const void* host, Kernel& kernel) {
  kernel.function = registry().function(host);
  if (!kernel.function) return cudaErrorInvalidDeviceFunction;
  const auto error = registry().load(*kernel.function->image, state.engine.device(), state.memory);
  if (error != cudaSuccess) return error;
  kernel.info = registry().info_of(*kernel.function);
  return kernel.info ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

int active_blocks(State& state, const Kernel& kernel, int threads, std::size_t shared) {
  return state.engine.device()
      .occupancy({.module = kernel.function->image->id,
                  .entry = kernel.function->entry,
                  .block_threads = static_cast<std::uint32_t>(threads),
                  .dynamic_shared = shared})
      .blocks_per_multiprocessor;
}

cudaError_t read_attributes(const cudaLaunchAttribute* attributes, unsigned count, LaunchCall& call) {
  for (unsigned i = 0; i < count; ++i) {
    const auto& attribute = attributes[i];
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0)
      call.mode = device::LaunchMode::cooperative;
    const auto& cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1)
      return cudaErrorNotSupported;  // compute_80 has no clusters
  }
  return cudaSuccess;
}

cudaError_t launch(State& state, const LaunchCall& call) {
  Kernel kernel;
  if (const auto error = find_kernel(state, call.function, kernel); error != cudaSuccess) return error;
  if (const auto error = check(state, call, kernel); error != cudaSuccess) return error;
  device::LaunchRequest request;
  request.module = kernel.function->image->id;
  request.entry = kernel.function->entry;
  request.grid = extents(call.grid);
  request.block = extents(call.block);
  request.dynamic_shared = call.shared;
  request.mode = call.mode;
  const auto& parameters = kernel.info->parameters;
  if (!parameters.empty()) {
    if (call.arguments == nullptr) return cudaErrorInvalidValue;
    request.arguments.resize(parameters.back().offset + parameters.back().size);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      std::memcpy(request.arguments.data() + parameters[i].offset, call.arguments[i], parameters[i].size);
  }
  return submit(state, call.stream, {.launch = std::move(request)});
}

}  // namespace xcuda::runtime
