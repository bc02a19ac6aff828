#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/driver/driver_contexts.hpp"

namespace xcuda::runtime {
namespace {

constexpr int kGreatestPriority = 0, kLeastPriority = 0;  // one order for all: there are none

cudaError_t with_stream(cudaStream_t stream, const std::function<cudaError_t(State&, Stream&)>& function) {
  return with_state([&](State& state) {
    Stream* found = state.find_stream(stream);
    return found ? function(state, *found) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t create_stream(cudaStream_t* to, unsigned flags, int priority) {
  return with_state([&](State& state) {
    if (to == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    auto stream = std::make_unique<Stream>();
    stream->flags = flags;
    stream->priority = priority;
    stream->context = driver::current_context();
    const std::lock_guard lock(state.mutex);
    stream->id = state.next_id++;
    *to = reinterpret_cast<cudaStream_t>(stream.get());
    state.streams.emplace(*to, std::move(stream));
    return cudaSuccess;
  });
}

// Where a capture and an event meet, both are of one capture that has not ended. Any other dependency makes it invalid.
cudaError_t check_join(State& state, Stream& stream, const Event& event) {
  const auto graph = event.capture.lock();
  if (graph && graph->capturer == std::thread::id{}) return cudaErrorCapturedEvent;
  if (stream.capture == graph || (!graph && !event.recorded)) return cudaSuccess;
  if (graph && !stream.capture && &stream != &state.default_stream) return cudaSuccess;
  for (const auto& either : {graph, stream.capture})
    if (either) either->invalid = true;
  return graph && stream.capture ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* to) { return create_stream(to, cudaStreamDefault, kLeastPriority); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned flags) {
  return create_stream(to, flags, kLeastPriority);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int) {
  return create_stream(to, flags, kLeastPriority);  // clamped to what there is, as CUDA does
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_state([&](State& state) {
    const std::lock_guard lock(state.mutex);
    const auto found = state.streams.find(stream);
    if (found == state.streams.end()) return cudaErrorInvalidResourceHandle;
    if ((found->second->flags & cudaStreamNonBlocking) == 0) state.note_ended(*found->second);
    state.streams.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream, [](State& state, Stream& found) {
    if (const auto error = check_uncaptured_use(state, found); error != cudaSuccess) return error;
    state.engine.wait(found.last);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  cudaError_t answer = cudaSuccess;
  const auto error = with_stream(stream, [&](State& state, Stream& found) {
    if (const auto error = check_uncaptured_use(state, found); error != cudaSuccess) return error;
    if (!state.engine.done(found.last)) answer = cudaErrorNotReady;
    return cudaSuccess;
  });
  return error == cudaSuccess ? answer : error;  // that it is not ready is not an error
}

// What was posted before the event's record also runs before what is posted now.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_stream(stream, [&](State& state, Stream& found) {
    const Event* waited = state.find_event(event);
    if (waited == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (const auto error = check_use(state, found); error != cudaSuccess) return error;
    if (waited->shared) {
      if (found.capture) return cudaErrorNotSupported;
      post(state, found,
           {.work = [&engine = state.engine, shared = waited->shared, number = waited->shared->recorded()] {
             while (!shared->reached(number) && !engine.ends())
               std::this_thread::sleep_for(std::chrono::microseconds(50));
           }});
      return cudaSuccess;
    }
    if (found.capture && flags == cudaEventWaitExternal) return submit(state, stream, WaitWork{event});
    const auto graph = waited->capture.lock();
    if (!found.capture && !graph) {
      post(state, found, {.needs = Item::Needs::host, .after = {waited->number}});
      return cudaSuccess;
    }
    const std::lock_guard lock(state.mutex);  // calls of other threads look at all captures
    if (const auto error = check_join(state, found, *waited); error != cudaSuccess) return error;
    if (graph && !found.capture) {  // it joins
      found.capture = graph;
      found.tail.clear();
    }
    if (graph)
      for (Node* node : waited->tail)
        if (std::find(found.tail.begin(), found.tail.end(), node) == found.tail.end()) found.tail.push_back(node);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream(stream, [&](State&, Stream& found) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = found.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream(stream, [&](State&, Stream& found) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = found.priority;
    return cudaSuccess;
  });
}

// --- Attributes, which the CPU device keeps and has no use for

namespace {

bool has_attribute(cudaStreamAttrID attribute) {
  return attribute == cudaStreamAttributeAccessPolicyWindow || attribute == cudaStreamAttributeSynchronizationPolicy ||
         attribute == cudaStreamAttributePriority || attribute == cudaStreamAttributeMemSyncDomain ||
         attribute == cudaStreamAttributeMemSyncDomainMap;
}
bool is_valid(cudaStreamAttrID attribute, const cudaStreamAttrValue& value) {
  if (attribute == cudaStreamAttributeSynchronizationPolicy)
    return value.syncPolicy >= cudaSyncPolicyAuto && value.syncPolicy <= cudaSyncPolicyBlockingSync;
  if (attribute == cudaStreamAttributeAccessPolicyWindow)
    return value.accessPolicyWindow.hitRatio >= 0 && value.accessPolicyWindow.hitRatio <= 1;
  return true;
}

}  // namespace

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  return with_stream(stream, [&](State& state, Stream& found) {
    if (value == nullptr || !has_attribute(attribute) || !is_valid(attribute, *value)) return cudaErrorInvalidValue;
    const std::lock_guard lock(state.mutex);
    auto& kept = found.attributes[attribute] = *value;
    if (attribute == cudaStreamAttributePriority) kept.priority = kLeastPriority;  // clamped to what there is
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  return with_stream(stream, [&](State& state, Stream& found) {
    if (value == nullptr || !has_attribute(attribute)) return cudaErrorInvalidValue;
    const std::lock_guard lock(state.mutex);
    *value = {};
    if (const auto kept = found.attributes.find(attribute); kept != found.attributes.end())
      *value = kept->second;
    else if (attribute == cudaStreamAttributeSynchronizationPolicy)
      value->syncPolicy = cudaSyncPolicyAuto;
    else if (attribute == cudaStreamAttributeMemSyncDomainMap)
      value->memSyncDomainMap = {.default_ = 0, .remote = 1};
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return with_stream(from, [&](State& state, Stream& source) {
    Stream* target = state.find_stream(to);
    if (target == nullptr) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(state.mutex);
    target->attributes = source.attributes;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return with_state([](State&) { return cudaSuccess; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_stream(stream, [&](State&, Stream& found) {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = found.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_stream(stream, [&](State&, Stream&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return without_state([&] {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

// --- Functions of the host, in the order of their stream
// ---------------------------------------------------------------

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return with_state([&](State& state) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return submit(state, stream, HostWork{function, data});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  return with_stream(stream, [&](State& state, Stream& found) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (const auto error = check_uncaptured_use(state, found); error != cudaSuccess) return error;
    post(state, found, {.work = [=] { callback(stream, cudaSuccess, data); }, .needs = Item::Needs::host});
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
