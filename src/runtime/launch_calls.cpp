#include <vector>

#include "runtime/api.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime {
namespace {

// What <<<...>>> has pushed and the kernel's function on the host takes.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

// A launch does not answer with what its own kernel does, however soon that ends.
cudaError_t launch_in_state(const LaunchCall& call) {
  return with_state([&](State& state) { return launch(state, call); }, Failures::earlier);
}

}  // namespace

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return set_last(cudaErrorMissingConfiguration);
  const auto top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return launch_in_state({function, grid, block, arguments, shared, stream});
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  return launch_in_state({kernel, grid, block, arguments, shared, stream});
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch_in_state({function, grid, block, arguments, shared, stream, device::LaunchMode::cooperative});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr) return set_last(cudaErrorInvalidValue);
  LaunchCall call{function,       config->gridDim,           config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, device::LaunchMode::normal};
  const auto error = read_attributes(config->attrs, config->numAttrs, call);
  return error == cudaSuccess ? launch_in_state(call) : set_last(error);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) { return runtime::cudaGetKernel(kernel, host); }

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  return without_state([&] {
    auto* function = registry().function(host);
    if (kernel == nullptr || function == nullptr) return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(function);
    return cudaSuccess;
  });
}

// Functions and kernels are the same here.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host) {
  return runtime::cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), host);
}

// --- What a kernel is ------------------------------------------------------------------------------------------------

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_state([&](State& state) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    Kernel kernel;
    if (const auto error = find_kernel(state, function, kernel); error != cudaSuccess) return error;
    const auto& info = *kernel.info;
    *attributes = {};
    attributes->sharedSizeBytes = info.shared_bytes;
    attributes->constSizeBytes = info.constant_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->maxThreadsPerBlock = info.max_threads_per_block > 0
                                         ? info.max_threads_per_block
                                         : static_cast<int>(state.engine.info().max_threads_per_block);
    attributes->numRegs = info.registers;
    attributes->ptxVersion = attributes->binaryVersion =
        10 * state.engine.info().compute_major + state.engine.info().compute_minor;
    attributes->maxDynamicSharedSizeBytes = kernel.function->dynamic_shared;
    attributes->preferredShmemCarveout = kernel.function->carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_state([&](State& state) {
    Kernel kernel;
    if (const auto error = find_kernel(state, function, kernel); error != cudaSuccess) return error;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            static_cast<std::uint64_t>(value) + kernel.info->shared_bytes > state.engine.info().shared_per_block_optin)
          return cudaErrorInvalidValue;
        kernel.function->dynamic_shared = value;
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        kernel.function->carveout = value;
        return cudaSuccess;
      default:  // those between are of clusters
        return attribute > cudaFuncAttributePreferredSharedMemoryCarveout && attribute < cudaFuncAttributeMax
                   ? cudaErrorNotSupported
                   : cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* host) {
  return without_state([&] {
    const auto* function = registry().function(host);
    if (name == nullptr) return cudaErrorInvalidValue;
    if (function == nullptr) return no_kernel(host);
    *name = function->entry.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset, std::size_t* size) {
  return with_state([&](State& state) {
    Kernel kernel;
    if (const auto error = find_kernel(state, host, kernel); error != cudaSuccess) return error;
    if (offset == nullptr || index >= kernel.info->parameters.size()) return cudaErrorInvalidValue;
    *offset = kernel.info->parameters[index].offset;
    if (size) *size = kernel.info->parameters[index].size;
    return cudaSuccess;
  });
}

// A preference, which a device without a cache to divide has nothing to do for.
cudaError_t cudaFuncSetCacheConfig(const void* host, cudaFuncCache config) {
  return without_state([&] {
    if (registry().function(host) == nullptr) return no_kernel(host);
    return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                                   : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* host, cudaSharedMemConfig config) {
  return without_state([&] {
    return registry().function(host) == nullptr ? no_kernel(host) : runtime::cudaDeviceSetSharedMemConfig(config);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t shared, unsigned flags) {
  return with_state([&](State& state) {
    if (blocks == nullptr || threads <= 0 || flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
    Kernel kernel;
    if (const auto error = find_kernel(state, function, kernel); error != cudaSuccess) return error;
    *blocks = active_blocks(state, kernel, threads, shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared) {
  return runtime::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                         cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* function, int blocks,
                                                      int threads) {
  return with_state([&](State& state) {
    if (shared == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    Kernel kernel;
    if (const auto error = find_kernel(state, function, kernel); error != cudaSuccess) return error;
    if (active_blocks(state, kernel, threads, 0) < blocks) return cudaErrorInvalidValue;
    std::size_t low = 0, high = state.engine.info().shared_per_block_optin;  // bytes that fit; that may not
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (active_blocks(state, kernel, threads, middle) >= blocks)
        low = middle;
      else
        high = middle - 1;
    }
    *shared = low;
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
