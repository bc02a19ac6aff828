// Streams and events: the handles are those of the CUDA Runtime.
#include "runtime/driver/driver_calls.hpp"
#include "runtime/driver/driver_contexts.hpp"

namespace xcuda::runtime::driver {

CUresult cuStreamCreate(CUstream* to, unsigned flags) {
  return in_context([&] { return runtime::cudaStreamCreateWithFlags(to, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* to, unsigned flags, int priority) {
  return in_context([&] { return runtime::cudaStreamCreateWithPriority(to, flags, priority); });
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context_of(stream, [&] { return runtime::cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* to) {
  return in_context_of(stream, [&] { return runtime::cudaStreamGetFlags(stream, to); });
}
CUresult cuStreamGetPriority(CUstream stream, int* to) {
  return in_context_of(stream, [&] { return runtime::cudaStreamGetPriority(stream, to); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* to) {
  return in_context_of(stream, [&] { return runtime::cudaStreamGetId(stream, to); });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* to) {
  return in_context_of(stream, [&] { return runtime::cudaStreamGetDevice(stream, to); });
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  return in_context_of(stream, [&] {
    return runtime::cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                           reinterpret_cast<const cudaStreamAttrValue*>(value));
  });
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return in_context_of(stream, [&] {
    return runtime::cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                           reinterpret_cast<cudaStreamAttrValue*>(value));
  });
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return in_context_of(to, [&] { return runtime::cudaStreamCopyAttributes(to, from); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* to) {
  return in_context_of(stream, [&] {
    return with_state([&](State& state) {
      const auto* found = state.find_stream(stream);
      if (found == nullptr) return cudaErrorInvalidResourceHandle;
      return give(to, found->context != nullptr ? found->context : current_context());
    });
  });
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* to, CUgreenCtx* green) {  // of no part of a GPU
  if (to == nullptr || green == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *green = nullptr;
  return driver::cuStreamGetCtx(stream, to);
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return in_context_of(stream, [&] {
    return runtime::cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
  });
}

CUresult cuEventCreate(CUevent* to, unsigned flags) {
  return in_context([&] { return runtime::cudaEventCreateWithFlags(to, flags); });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return after_init([&] { return runtime::cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context_of(stream, [&] { return runtime::cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return in_context_of(stream, [&] { return runtime::cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventQuery(CUevent event) {
  return after_init([&] { return runtime::cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
  return after_init([&] { return runtime::cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime_v2(float* to, CUevent from, CUevent until) {
  return after_init([&] { return runtime::cudaEventElapsedTime(to, from, until); });
}

}  // namespace xcuda::runtime::driver
