#include "runtime/driver/driver_contexts.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

struct Context {
  unsigned flags = 0;
  unsigned long long id = 0;
  int uses = 1;  // of cuCtxCreate() and cuCtxAttach(); the primary context's do not count
};

std::atomic<bool> initialized{false};
std::mutex contexts_mutex;
std::map<CUcontext, std::unique_ptr<Context>> contexts;
Context primary{.flags = 0, .id = 1};
int retained = 0;  // of the primary context
unsigned long long last_id = 1;
thread_local std::vector<CUcontext> stack;

CUcontext primary_handle() { return reinterpret_cast<CUcontext>(&primary); }

Context* find_context(CUcontext handle) {
  const std::lock_guard lock(contexts_mutex);
  if (handle == primary_handle()) return &primary;
  const auto found = contexts.find(handle);
  return found == contexts.end() ? nullptr : found->second.get();
}

cudaError_t check_ordinal(CUdevice device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

CUresult create_context(CUcontext* to, unsigned flags, CUdevice device) {
  return after_init([&] {
    if (to == nullptr || (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return cudaErrorInvalidValue;
    if (const auto error = check_ordinal(device); error != cudaSuccess) return error;
    if (const auto error = runtime::cudaSetDevice(device); error != cudaSuccess) return error;  // it begins now
    const std::lock_guard lock(contexts_mutex);
    auto made = std::make_unique<Context>(Context{flags, ++last_id, 1});
    *to = reinterpret_cast<CUcontext>(made.get());
    contexts.emplace(*to, std::move(made));
    stack.push_back(*to);
    return cudaSuccess;
  });
}

// For the calls that know a context by its handle, or mean the current one.
template <class Use> CUresult with_context(CUcontext handle, const Use& use) {
  return after_init([&] {
    auto* found = find_context(handle != nullptr ? handle : current_context());
    return found == nullptr ? cudaErrorDeviceUninitialized : use(*found);
  });
}

}  // namespace

bool is_initialized() { return initialized || thread_uses_runtime(); }

CUcontext current_context() {
  if (!stack.empty()) return stack.back();
  return thread_uses_runtime() ? primary_handle() : nullptr;
}

bool exists(CUcontext context) { return find_context(context) != nullptr; }

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  initialized = true;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* to, unsigned flags, CUdevice device) { return create_context(to, flags, device); }
CUresult cuCtxCreate_v3(CUcontext* to, CUexecAffinityParam*, int affinities, unsigned flags, CUdevice device) {
  return affinities == 0 ? create_context(to, flags, device) : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}
CUresult cuCtxCreate_v4(CUcontext* to, CUctxCreateParams* wanted, unsigned flags, CUdevice device) {
  if (wanted != nullptr && wanted->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return driver::cuCtxCreate_v3(to, nullptr, wanted != nullptr ? wanted->numExecAffinityParams : 0, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return after_init([&] {
    if (context == primary_handle() || find_context(context) == nullptr) return cudaErrorDeviceUninitialized;
    const auto error = runtime::cudaDeviceSynchronize();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    const std::lock_guard lock(contexts_mutex);
    contexts.erase(context);
    return error;
  });
}

CUresult cuCtxAttach(CUcontext* to, unsigned flags) {
  return with_context(nullptr, [&](Context& found) {
    if (to == nullptr || flags != 0) return cudaErrorInvalidValue;
    *to = current_context();
    const std::lock_guard lock(contexts_mutex);
    ++found.uses;
    return cudaSuccess;
  });
}
// Of the current context; the last one destroys it. The primary context is detached as often as it was attached.
CUresult cuCtxDetach(CUcontext context) {
  bool is_last = false;
  const auto result = with_context(context, [&](Context& found) {
    const std::lock_guard lock(contexts_mutex);
    if (context != current_context() || (context == primary_handle() && found.uses == 1))
      return cudaErrorDeviceUninitialized;
    is_last = --found.uses == 0;
    return cudaSuccess;
  });
  return is_last ? driver::cuCtxDestroy_v2(context) : result;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return with_context(context, [&](Context&) {
    stack.push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* to) {
  return in_context([&] {
    if (to != nullptr) *to = current_context();
    if (!stack.empty()) stack.pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return after_init([&] {
    if (context != nullptr && find_context(context) == nullptr) return cudaErrorDeviceUninitialized;
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* to) {
  return after_init([&] { return give(to, current_context()); });
}
CUresult cuCtxGetDevice(CUdevice* to) {
  return in_context([&] { return give(to, 0); });
}
CUresult cuCtxGetDevice_v2(CUdevice* to, CUcontext context) {
  return with_context(context, [&](Context&) { return give(to, 0); });
}
CUresult cuCtxGetFlags(unsigned* to) {
  return with_context(nullptr, [&](Context& found) { return give(to, found.flags); });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return with_context(nullptr, [&](Context& found) {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return cudaErrorInvalidValue;
    found.flags = flags;
    return cudaSuccess;
  });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* to) {
  return with_context(context, [&](Context& found) { return give(to, found.id); });
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned* to) {
  constexpr unsigned kVersion = 3020;  // as GPUs' drivers have answered since then
  return with_context(context, [&](Context&) { return give(to, kVersion); });
}
CUresult cuCtxSynchronize() { return in_context(runtime::cudaDeviceSynchronize); }
CUresult cuCtxSynchronize_v2(CUcontext context) {
  return with_context(context, [](Context&) { return runtime::cudaDeviceSynchronize(); });
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return in_context([&] { return runtime::cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(std::size_t* to, CUlimit limit) {
  return in_context([&] { return runtime::cudaDeviceGetLimit(to, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* to) {
  return in_context([&] { return runtime::cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(to)); });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* to) {
  return in_context([&] { return runtime::cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(to)); });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return in_context([&] { return runtime::cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_context([&] { return runtime::cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxResetPersistingL2Cache() {
  return in_context([] { return runtime::cudaCtxResetPersistingL2Cache(); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return runtime::cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return in_context([] { return cudaErrorPeerAccessUnsupported; });
}
CUresult cuCtxDisablePeerAccess(CUcontext) {
  return in_context([] { return cudaErrorPeerAccessNotEnabled; });
}

// --- The primary context, which the CUDA Runtime uses
// -----------------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext* to, CUdevice device) {
  return after_init([&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    if (const auto error = check_ordinal(device); error != cudaSuccess) return error;
    const auto error = runtime::cudaSetDevice(device);
    if (error != cudaSuccess) return error;
    const std::lock_guard lock(contexts_mutex);
    ++retained;
    *to = primary_handle();
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return after_init([&] {
    if (const auto error = check_ordinal(device); error != cudaSuccess) return error;
    const std::lock_guard lock(contexts_mutex);
    if (retained == 0) return cudaErrorDeviceUninitialized;
    --retained;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return after_init([&] {
    const auto error = check_ordinal(device);
    return error == cudaSuccess ? runtime::cudaDeviceReset() : error;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return after_init([&] {
    if (const auto error = check_ordinal(device); error != cudaSuccess) return error;
    const auto error = runtime::cudaSetDeviceFlags(flags);
    if (error == cudaSuccess) primary.flags = flags;
    return error;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return after_init([&] {
    if (flags == nullptr || active == nullptr) return cudaErrorInvalidValue;
    if (const auto error = check_ordinal(device); error != cudaSuccess) return error;
    const std::lock_guard lock(contexts_mutex);
    *flags = primary.flags;
    *active = retained > 0 || thread_uses_runtime() ? 1 : 0;
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime::driver
