// Launches that are put together call by call, as the first versions of CUDA had it. The calls are still declared.
#include <cstring>
#include <mutex>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime::driver {
namespace {

constexpr std::size_t kMostArguments = 32'764;  // bytes, since CUDA 12.1
std::mutex prepared_mutex;

template <class Use> CUresult with_prepared(CUfunction function, const Use& use) {
  return in_context([&] {
    auto* const found = registry().function(function);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(prepared_mutex);
    return use(found->prepared);
  });
}

CUresult set_argument(CUfunction function, int offset, const void* from, std::size_t bytes) {
  return with_prepared(function, [&](PreparedLaunch& prepared) {
    const auto at = static_cast<std::size_t>(offset);
    if (offset < 0 || from == nullptr || bytes > kMostArguments || at > kMostArguments - bytes)
      return cudaErrorInvalidValue;
    if (prepared.arguments.size() < at + bytes) prepared.arguments.resize(at + bytes);
    std::memcpy(prepared.arguments.data() + at, from, bytes);
    return cudaSuccess;
  });
}

CUresult launch_prepared(CUfunction function, int width, int height, CUstream stream) {
  return in_context([&] {
    auto* const found = registry().function(function);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    PreparedLaunch prepared;
    {
      const std::lock_guard lock(prepared_mutex);
      prepared = found->prepared;
    }
    if (width <= 0 || height <= 0 || prepared.block[0] == 0) return cudaErrorInvalidValue;  // no shape was set
    auto bytes = prepared.arguments.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, prepared.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    LaunchCall call;
    call.function = function;
    call.grid = dim3{static_cast<unsigned>(width), static_cast<unsigned>(height), 1};
    call.block = dim3{prepared.block[0], prepared.block[1], prepared.block[2]};
    call.shared = prepared.shared;
    call.stream = stream;
    call.extra = extra;
    return with_state([&](State& state) { return launch(state, call); }, Failures::earlier);
  });
}

}  // namespace

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return with_prepared(function, [&](PreparedLaunch& prepared) {
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    const int shape[] = {x, y, z};
    for (int i = 0; i < 3; ++i) prepared.block[i] = static_cast<unsigned>(shape[i]);
    return cudaSuccess;
  });
}
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  return with_prepared(function, [&](PreparedLaunch& prepared) {
    prepared.shared = bytes;
    return cudaSuccess;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  return with_prepared(function, [&](PreparedLaunch& prepared) {
    if (bytes > kMostArguments) return cudaErrorInvalidValue;
    prepared.arguments.resize(bytes);
    return cudaSuccess;
  });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return set_argument(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_argument(function, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction function, int offset, void* from, unsigned bytes) {
  return set_argument(function, offset, from, bytes);
}

CUresult cuLaunch(CUfunction function) { return launch_prepared(function, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launch_prepared(function, width, height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launch_prepared(function, width, height, stream);
}

}  // namespace xcuda::runtime::driver
