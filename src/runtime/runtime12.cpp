// The functions of CUDA 12's runtime whose types or errors CUDA 13 has changed, over those of today: programs that link
// with libcudart.so.12 were compiled with its headers.
#include "runtime/runtime12.hpp"

#include <cstring>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/copies.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime::v12 {
namespace {

cudaMemLocation location_of(int device) {
  return {.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
          .id = device == cudaCpuDeviceId ? 0 : device};
}

// CUDA 12 has an error of its own for blocks and grids of a shape that no device takes.
cudaError_t launch_error(cudaError_t error, const dim3& grid, const dim3& block) {
  if (error != cudaErrorInvalidValue) return error;
  return with_state([&](State& state) {
    return has_valid_shape(state, grid, block) ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
  });
}

template <class To, class From> void give_head(To* to, const From& from) {
  if (to != nullptr) std::memcpy(to, &from, sizeof *to);
}

}  // namespace

cudaError_t cudaGetDeviceProperties_v2(DeviceProperties* to, int device) {
  if (to == nullptr) return set_last(cudaErrorInvalidValue);
  cudaDeviceProp is{};
  if (const auto error = runtime::cudaGetDeviceProperties(&is, device); error != cudaSuccess) return error;
  *to = {};
#define XCUDA_PROPERTY(name)                        \
  static_assert(sizeof to->name == sizeof is.name); \
  std::memcpy(&to->name, &is.name, sizeof to->name);
#include "runtime/same_properties.def"
#undef XCUDA_PROPERTY
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    runtime::cudaDeviceGetAttribute(&value, which, device);
    return value;
  };
  to->clockRate = attribute(cudaDevAttrClockRate);
  to->deviceOverlap = attribute(cudaDevAttrGpuOverlap);
  to->kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout);
  to->computeMode = attribute(cudaDevAttrComputeMode);
  to->maxTexture1DLinear = static_cast<int>(kLinearTexture);
  to->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  to->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(PointerAttributes* to, const void* pointer) {
  cudaPointerAttributes is{};
  const auto error = runtime::cudaPointerGetAttributes(to == nullptr ? nullptr : &is, pointer);
  give_head(to, is);
  return error;
}

cudaError_t cudaGetTextureObjectResourceDesc(Resource* to, cudaTextureObject_t object) {
  cudaResourceDesc is{};
  const auto error = runtime::cudaGetTextureObjectResourceDesc(to == nullptr ? nullptr : &is, object);
  if (error == cudaSuccess) give_head(to, is);
  return error;
}
cudaError_t cudaGetSurfaceObjectResourceDesc(Resource* to, cudaSurfaceObject_t object) {
  cudaResourceDesc is{};
  const auto error = runtime::cudaGetSurfaceObjectResourceDesc(to == nullptr ? nullptr : &is, object);
  if (error == cudaSuccess) give_head(to, is);
  return error;
}
cudaError_t cudaGetTextureObjectResourceViewDesc(ResourceView* to, cudaTextureObject_t object) {
  cudaResourceViewDesc is{};
  const auto error = runtime::cudaGetTextureObjectResourceViewDesc(to == nullptr ? nullptr : &is, object);
  if (error == cudaSuccess) give_head(to, is);
  return error;
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return runtime::cudaMemAdvise(pointer, bytes, advice, location_of(device));
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream) {
  return runtime::cudaMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream);
}
cudaError_t cudaMemcpyBatchAsync(void** to, void** from, std::size_t* bytes, std::size_t count,
                                 cudaMemcpyAttributes* attributes, std::size_t* attribute_starts,
                                 std::size_t attribute_count, std::size_t* failed, cudaStream_t stream) {
  return copy_batch({to, from, bytes, count, attributes, attribute_starts, attribute_count}, stream, failed);
}
cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, cudaMemcpy3DBatchOp* list, std::size_t* failed,
                                   unsigned long long flags, cudaStream_t stream) {
  return copy_box_batch(list, count, flags, stream, failed);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     std::size_t count) {
  return runtime::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        std::size_t count) {
  return runtime::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                             cudaGraphNodeParams* parameters) {
  return runtime::cudaGraphAddNode(node, graph, after, nullptr, count, parameters);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  return runtime::cudaGraphGetEdges(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* to, std::size_t* count) {
  return runtime::cudaGraphNodeGetDependencies(node, to, nullptr, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* to, std::size_t* count) {
  return runtime::cudaGraphNodeGetDependentNodes(node, to, nullptr, count);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return runtime::cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** after, std::size_t* count) {
  return runtime::cudaStreamGetCaptureInfo(stream, status, id, graph, after, nullptr, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, std::size_t count,
                                                unsigned flags) {
  return runtime::cudaStreamUpdateCaptureDependencies(stream, after, nullptr, count, flags);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return launch_error(runtime::cudaLaunchKernel(function, grid, block, arguments, shared, stream), grid, block);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  const auto error = runtime::cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, stream);
  return launch_error(error, grid, block);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  const auto error = runtime::cudaLaunchKernelExC(config, function, arguments);
  return config == nullptr ? error : launch_error(error, config->gridDim, config->blockDim);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return set_last(cudaErrorInvalidValue);
  *version = 12090;
  return cudaSuccess;
}

}  // namespace xcuda::runtime::v12
