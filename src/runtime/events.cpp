#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"

namespace xcuda::runtime {
namespace {

using Clock = std::chrono::steady_clock;

cudaError_t create_event(cudaEvent_t* to, unsigned flags) {
  return with_state([&](State& state) {
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (to == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    const bool shared = (flags & cudaEventInterprocess) != 0;
    if (shared && (flags & cudaEventDisableTiming) == 0) return cudaErrorInvalidValue;
    auto event = std::make_unique<Event>();
    event->flags = flags;
    if (shared) event->shared = std::make_shared<SharedEvent>();
    const std::lock_guard lock(state.mutex);
    *to = reinterpret_cast<cudaEvent_t>(event.get());
    state.events.emplace(*to, std::move(event));
    return cudaSuccess;
  });
}

// Whether work has come to an event is not known of a capture, and not safe to ask during another. Once the capture has
// ended, the graph is the program's, and asking changes nothing in it.
cudaError_t check_query(State& state, const Event& event) {
  const auto capture = event.capture.lock();
  if (capture == nullptr) return refuse_unsafe(state);
  const std::lock_guard lock(state.mutex);
  if (capture->capturer != std::thread::id{}) capture->invalid = true;
  return cudaErrorCapturedEvent;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream, unsigned flags = cudaEventRecordDefault) {
  return with_state([&](State& state) {
    Event* found = state.find_event(event);
    Stream* of = state.find_stream(stream);
    if (found == nullptr || of == nullptr) return cudaErrorInvalidResourceHandle;
    if (const auto error = check_use(state, *of); error != cudaSuccess) return error;
    if (found->shared) {
      if (of->capture) return cudaErrorNotSupported;
      post(state, *of, {.work = [shared = found->shared, number = found->shared->record()] { shared->reach(number); }});
      return cudaSuccess;
    }
    if (of->capture) {
      if (flags == cudaEventRecordExternal) return submit(state, stream, RecordWork{event});
      found->capture = of->capture;
      found->tail = of->tail;
      return cudaSuccess;
    }
    const auto time = std::make_shared<Clock::time_point>();
    const auto number = post(state, *of, {.work = [time] { *time = Clock::now(); }, .needs = Item::Needs::host});
    found->capture.reset();
    found->time = time;
    found->number = number;
    found->recorded = true;
    return cudaSuccess;
  });
}

// The record may be another process's, which nobody tells of.
cudaError_t wait_for(State& state, const std::shared_ptr<SharedEvent>& event) {
  const auto number = event->recorded();
  while (!event->reached(number)) {
    if (state.engine.failure() != cudaSuccess) return state.engine.failure();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* to) { return create_event(to, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned flags) { return create_event(to, flags); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_state([&](State& state) {
    const std::lock_guard lock(state.mutex);
    return state.events.erase(event) > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record(event, stream); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags > cudaEventRecordExternal) return set_last(cudaErrorInvalidValue);
  return record(event, stream, flags);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_state([&](State& state) {
    const Event* found = state.find_event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const auto error = check_query(state, *found); error != cudaSuccess) return error;
    if (found->shared) return wait_for(state, found->shared);
    state.engine.wait(found->number);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  cudaError_t answer = cudaSuccess;
  const auto error = with_state([&](State& state) {
    const Event* found = state.find_event(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const auto error = check_query(state, *found); error != cudaSuccess) return error;
    const bool done =
        found->shared ? found->shared->reached(found->shared->recorded()) : state.engine.done(found->number);
    if (!done) answer = cudaErrorNotReady;
    return cudaSuccess;
  });
  return error == cudaSuccess ? answer : error;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return with_state([&](State& state) {
    const Event *first = state.find_event(from), *second = state.find_event(to);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (first == nullptr || second == nullptr || !first->recorded || !second->recorded ||
        ((first->flags | second->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    if (!state.engine.done(first->number) || !state.engine.done(second->number)) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(*second->time - *first->time).count();
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
