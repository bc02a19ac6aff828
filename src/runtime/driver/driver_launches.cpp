#include <algorithm>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime::driver {
namespace {

cudaError_t launch_function(LaunchCall call, void** extra) {
  call.extra = extra;
  return with_state([&](State& state) { return launch(state, call); }, Failures::earlier);
}

cudaError_t give_attribute(int* to, CUfunction_attribute attribute, const void* function) {
  cudaFuncAttributes is{};
  if (const auto error = runtime::cudaFuncGetAttributes(&is, function); error != cudaSuccess) return error;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return give(to, is.maxThreadsPerBlock);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return give(to, is.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return give(to, is.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return give(to, is.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return give(to, is.numRegs);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: return give(to, is.ptxVersion);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return give(to, is.binaryVersion);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return give(to, is.maxDynamicSharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return give(to, is.preferredShmemCarveout);
    default: return attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX ? give(to, 0) : cudaErrorInvalidValue;
  }
}

cudaError_t set_attribute(const void* function, CUfunction_attribute attribute, int value) {
  return runtime::cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value);
}

cudaError_t give_image(Image** to, const void* handle) {
  const auto* function = registry().function(handle);
  return function == nullptr ? cudaErrorInvalidResourceHandle : give(to, function->image);
}

// As CUDA's headers do it for the CUDA Runtime: the size of block with the most threads at work.
cudaError_t give_best_block(State& state, int* grid, int* block, CUfunction function,
                            const std::function<std::size_t(int)>& shared_of, int limit) {
  Kernel kernel;
  if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
  if (const auto error = find_kernel(state, function, kernel); error != cudaSuccess) return error;
  const auto& info = state.engine.info();
  int most = kernel.info->max_threads_per_block > 0 ? kernel.info->max_threads_per_block
                                                    : static_cast<int>(info.max_threads_per_block);
  if (limit > 0) most = std::min(most, limit);
  int best = 0;
  const int warp = info.warp_size;
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int size = std::min(threads, most);
    const int blocks = active_blocks(state, kernel, size, shared_of(size));
    if (blocks * size <= best) continue;
    best = blocks * size;
    *block = size;
    *grid = blocks * info.multiprocessors;
  }
  return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** arguments, void** extra) {
  return in_context([&] {
    return launch_function({function, dim3{gx, gy, gz}, dim3{bx, by, bz}, arguments, shared, stream}, extra);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void** arguments) {
  return in_context([&] {
    return launch_function(
        {function, dim3{gx, gy, gz}, dim3{bx, by, bz}, arguments, shared, stream, device::LaunchMode::cooperative},
        nullptr);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  return in_context([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    LaunchCall call{function,
                    dim3{config->gridDimX, config->gridDimY, config->gridDimZ},
                    dim3{config->blockDimX, config->blockDimY, config->blockDimZ},
                    arguments,
                    config->sharedMemBytes,
                    config->hStream};
    if (const auto error =
            read_attributes(reinterpret_cast<const cudaLaunchAttribute*>(config->attrs), config->numAttrs, call);
        error != cudaSuccess)
      return error;
    return launch_function(call, extra);
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return in_context([&] { return runtime::cudaLaunchHostFunc(stream, function, data); });
}

// --- What a kernel is: a CUfunction and a CUkernel are the same
// -------------------------------------------------------

CUresult cuFuncGetAttribute(int* to, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] { return give_attribute(to, attribute, function); });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] { return set_attribute(function, attribute, value); });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context([&] { return runtime::cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  return in_context(
      [&] { return runtime::cudaFuncSetSharedMemConfig(function, static_cast<cudaSharedMemConfig>(config)); });
}
CUresult cuFuncGetModule(CUmodule* to, CUfunction function) {
  return in_context([&] { return give_image(reinterpret_cast<Image**>(to), function); });
}
CUresult cuFuncGetName(const char** to, CUfunction function) {
  return in_context([&] { return runtime::cudaFuncGetName(to, function); });
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
  return in_context([&] { return runtime::cudaFuncGetParamInfo(function, index, offset, size); });
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* to, CUfunction function) {
  return in_context([&] {
    return registry().function(function) ? give(to, CU_FUNCTION_LOADING_STATE_LOADED) : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuFuncLoad(CUfunction function) {
  return in_context([&] { return registry().function(function) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
CUresult cuKernelGetFunction(CUfunction* to, CUkernel kernel) {
  return in_context([&] {
    return registry().function(kernel) ? give(to, reinterpret_cast<CUfunction>(kernel))
                                       : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuKernelGetLibrary(CUlibrary* to, CUkernel kernel) {
  return after_init([&] { return give_image(reinterpret_cast<Image**>(to), kernel); });
}
CUresult cuKernelGetAttribute(int* to, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  return after_init([&] { return device == 0 ? give_attribute(to, attribute, kernel) : cudaErrorInvalidDevice; });
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  return after_init([&] { return device == 0 ? set_attribute(kernel, attribute, value) : cudaErrorInvalidDevice; });
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return after_init([&] {
    return device == 0 ? runtime::cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(config))
                       : cudaErrorInvalidDevice;
  });
}
CUresult cuKernelGetName(const char** to, CUkernel kernel) {
  return after_init([&] { return runtime::cudaFuncGetName(to, kernel); });
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  return after_init([&] { return runtime::cudaFuncGetParamInfo(kernel, index, offset, size); });
}

// --- Occupancy
// --------------------------------------------------------------------------------------------------------

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* to, CUfunction function, int threads,
                                                              std::size_t shared, unsigned flags) {
  return in_context([&] {
    return runtime::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to, function, threads, shared, flags);
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* to, CUfunction function, int threads, std::size_t shared) {
  return driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to, function, threads, shared,
                                                                      CU_OCCUPANCY_DEFAULT);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, std::size_t shared, int limit,
                                                   unsigned flags) {
  return in_context([&] {
    if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return cudaErrorInvalidValue;
    return with_state([&](State& state) {
      return give_best_block(
          state, grid, block, function, [&](int threads) { return shared_of != nullptr ? shared_of(threads) : shared; },
          limit);
    });
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          std::size_t shared, int limit) {
  return driver::cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit,
                                                           CU_OCCUPANCY_DEFAULT);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* to, CUfunction function, int blocks, int threads) {
  return in_context([&] { return runtime::cudaOccupancyAvailableDynamicSMemPerBlock(to, function, blocks, threads); });
}

}  // namespace xcuda::runtime::driver
