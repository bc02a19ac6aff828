#include "runtime/kernels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

device::Dim3 extents(const dim3& from) { return {from.x, from.y, from.z}; }

bool within(const dim3& extent, const device::Dim3& limit) {
  return extent.x > 0 && extent.y > 0 && extent.z > 0 && extent.x <= limit.x && extent.y <= limit.y &&
         extent.z <= limit.z;
}

// As the Driver API has it: CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END, each but the last with its value.
bool read_block(void** extra, std::vector<std::byte>& arguments) {
  void* const kPointer = reinterpret_cast<void*>(1);
  void* const kSize = reinterpret_cast<void*>(2);
  const void* block = nullptr;
  std::size_t size = 0;
  for (; *extra != nullptr; extra += 2) {
    if (extra[0] == kPointer)
      block = extra[1];
    else if (extra[0] == kSize)
      size = *static_cast<std::size_t*>(extra[1]);
    else
      return false;
  }
  if (block == nullptr || size < arguments.size()) return false;
  std::memcpy(arguments.data(), block, arguments.size());
  return true;
}

// Reports errors at once, as on a GPU.
cudaError_t check(State& state, const LaunchCall& call, const Kernel& kernel) {
  const auto& limits = state.engine.info();
  const auto threads = extents(call.block).count();
  const auto own = static_cast<std::uint64_t>(std::max(kernel.info->max_threads_per_block, 0));
  if (!has_valid_shape(state, call.grid, call.block) || (own > 0 && threads > own)) return cudaErrorInvalidValue;
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

bool has_valid_shape(State& state, const dim3& grid, const dim3& block) {
  const auto& limits = state.engine.info();
  return within(grid, limits.max_grid) && within(block, limits.max_block) &&
         extents(block).count() <= limits.max_threads_per_block;
}

cudaError_t no_kernel(const void* host) {
  return host == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
}

cudaError_t find_kernel(State& state, const void* host, Kernel& kernel) {
  kernel.function = registry().function(host);
  if (!kernel.function) return no_kernel(host);
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
  KernelWork work;
  const auto error = prepare(state, call, work);
  if (error == cudaSuccess) return submit(state, call.stream, std::move(work));
  if (const Stream* stream = state.find_stream(call.stream); stream != nullptr && stream->capture)
    stream->capture->invalid = true;  // as on a GPU
  return error;
}

cudaError_t prepare(State& state, const LaunchCall& call, KernelWork& work) {
  Kernel kernel;
  if (const auto error = find_kernel(state, call.function, kernel); error != cudaSuccess) return error;
  if (const auto error = check(state, call, kernel); error != cudaSuccess) return error;
  work = {.function = call.function};
  auto& request = work.request;
  request.module = kernel.function->image->id;
  request.entry = kernel.function->entry;
  request.grid = extents(call.grid);
  request.block = extents(call.block);
  request.dynamic_shared = call.shared;
  request.mode = call.mode;
  const auto& parameters = kernel.info->parameters;
  if (!parameters.empty()) {
    if ((call.arguments == nullptr) == (call.extra == nullptr)) return cudaErrorInvalidValue;  // one or the other
    request.arguments.resize(parameters.back().offset + parameters.back().size);
    if (call.extra != nullptr && !read_block(call.extra, request.arguments)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      work.offsets.push_back(parameters[i].offset);
      if (call.extra == nullptr)
        std::memcpy(request.arguments.data() + parameters[i].offset, call.arguments[i], parameters[i].size);
    }
  }
  return cudaSuccess;
}

}  // namespace xcuda::runtime
