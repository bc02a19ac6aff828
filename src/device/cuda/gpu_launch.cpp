#include "device/cuda/gpu_launch.hpp"

#include <fmt/format.h>

#include "base/units.hpp"

namespace xcuda::device::cuda {

CUresult launch(const Driver& driver, const LaunchRequest& request, Function& function, CUstream stream) {
  if (request.dynamic_shared > function.dynamic_shared_allowed) {
    const CUresult result = driver.cuFuncSetAttribute(function.raw, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                      static_cast<int>(request.dynamic_shared));
    if (result != CUDA_SUCCESS) return result;
    function.dynamic_shared_allowed = request.dynamic_shared;
  }
  std::size_t size = request.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(request.arguments.data()),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  void** arguments = size == 0 ? nullptr : extra;
  const auto shared = static_cast<unsigned>(request.dynamic_shared);
  if (!request.cluster && request.mode == LaunchMode::normal)
    return driver.cuLaunchKernel(function.raw, request.grid.x, request.grid.y, request.grid.z, request.block.x,
                                 request.block.y, request.block.z, shared, stream, nullptr, arguments);
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config{};
  config.gridDimX = request.grid.x;
  config.gridDimY = request.grid.y;
  config.gridDimZ = request.grid.z;
  config.blockDimX = request.block.x;
  config.blockDimY = request.block.y;
  config.blockDimZ = request.block.z;
  config.sharedMemBytes = shared;
  config.hStream = stream;
  config.attrs = attributes;
  if (request.cluster) {
    auto& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = request.cluster->x;
    cluster.value.clusterDim.y = request.cluster->y;
    cluster.value.clusterDim.z = request.cluster->z;
  }
  if (request.mode == LaunchMode::cooperative) {
    auto& cooperative = attributes[config.numAttrs++];
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  return driver.cuLaunchKernelEx(&config, function.raw, nullptr, arguments);
}

std::string advice_for(const Refusal& refusal, const DeviceInfo& info) {
  const auto& [result, request, function] = refusal;
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    return fmt::format(
        "{} needs {} registers per thread, so at most {} threads per block; use smaller blocks, __launch_bounds__ or "
        "-maxrregcount",
        request.entry, function.info.registers, function.info.max_threads_per_block);
  if (request.dynamic_shared + function.info.shared_bytes > info.shared_per_block_optin)
    return fmt::format("a block has at most {} of shared memory here", format_bytes(info.shared_per_block_optin));
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    return "a cooperative grid must fit on the GPU at once; use fewer blocks";
  return "";
}

}  // namespace xcuda::device::cuda
