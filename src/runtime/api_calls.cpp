#include "runtime/api_calls.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "runtime/errors.hpp"
#include "runtime/graph/graph_launch.hpp"

namespace xcuda::runtime {
namespace {

constexpr std::chrono::milliseconds kMostAtEnd{500};  // that a launch may go on when the program ends

thread_local cudaError_t last = cudaSuccess;
thread_local bool used_by_thread = false;

std::mutex the_mutex;
State* the_state = nullptr;
std::atomic<bool> unloading{false};

// As on a GPU, launches end with their program. Threads that run blocks must not outlive the program's static objects.
void end_with_program(int status, void*) {
  unloading = true;
  if (the_state == nullptr) return;
  auto ended = std::make_shared<std::promise<void>>();
  auto future = ended->get_future();
  std::thread([ended] {
    delete the_state;
    ended->set_value();
  }).detach();
  if (future.wait_for(kMostAtEnd) == std::future_status::ready) return;
  std::fflush(nullptr);
  _exit(status);
}

State& state() {
  const std::lock_guard lock(the_mutex);
  if (the_state == nullptr) {
    static const int registered = on_exit(end_with_program, nullptr);
    static_cast<void>(registered);
    the_state = new State;
  }
  return *the_state;
}

}  // namespace

cudaError_t set_last(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
cudaError_t last_error() { return last; }
void clear_last() { last = cudaSuccess; }

RuntimeUnchanged::RuntimeUnchanged() : last_(last), used_(used_by_thread) {}
RuntimeUnchanged::~RuntimeUnchanged() {
  last = last_;
  used_by_thread = used_;
}
bool thread_uses_runtime() { return used_by_thread; }

cudaError_t converted(const std::function<cudaError_t()>& function, std::string* message) {
  try {
    return function();
  } catch (const Error& error) {
    if (message != nullptr)
      *message = describe(error);
    else if (error.kind != ErrorKind::memory)  // programs try how much there is
      say(describe(error));
    return error_of(error);
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

cudaError_t with_state(const std::function<cudaError_t(State&)>& function, Failures failures) {
  if (unloading) return set_last(cudaErrorCudartUnloading);
  used_by_thread = true;
  return set_last(converted([&] {
    State& own = state();
    if (own.engine.is_own_thread()) return cudaErrorNotPermitted;  // a host function of a stream
    if (failures == Failures::none) return function(own);
    if (own.engine.failure() != cudaSuccess) return own.engine.failure();
    try {
      const auto error = function(own);
      return error == cudaSuccess && failures == Failures::all ? own.engine.failure() : error;
    } catch (const Error& error) {  // of a device that a kernel has just ended: what the kernel did is the answer
      const auto failure = error.kind == ErrorKind::device ? own.engine.wait_for_failure() : cudaSuccess;
      if (failure == cudaSuccess) throw;
      return failure;
    }
  }));
}

cudaError_t without_state(const std::function<cudaError_t()>& function) { return set_last(converted(function)); }

void reset_state() {
  State* old = nullptr;
  {
    const std::lock_guard lock(the_mutex);
    old = std::exchange(the_state, nullptr);
  }
  delete old;
  registry().forget_device();
}

Engine::Number post(State& state, Stream& stream, Item item) {
  std::vector<Item> items;
  items.push_back(std::move(item));
  return post(state, stream, std::move(items));
}

Engine::Number post(State& state, Stream& stream, std::vector<Item> items) {
  if (items.front().launch) state.engine.wait_for_room();  // before the lock, so that other streams may go on
  const std::lock_guard lock(state.mutex);
  auto& after = items.front().after;
  after.push_back(stream.last);
  const auto is_blocking = [](const Stream& one) { return (one.flags & cudaStreamNonBlocking) == 0; };
  if (&stream == &state.default_stream) {
    after.insert(after.end(), state.ended_streams.begin(), state.ended_streams.end());
    state.ended_streams.clear();
    for (const auto& one : state.thread_streams) after.push_back(one->last);
    for (const auto& [handle, one] : state.streams)
      if (is_blocking(*one)) after.push_back(one->last);
  } else if (is_blocking(stream)) {
    after.push_back(state.default_stream.last);
  }
  return stream.last = state.engine.post(std::move(items));
}

cudaError_t submit(State& state, cudaStream_t stream, Work work) {
  Stream* found = state.find_stream(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (const auto error = check_use(state, *found); error != cudaSuccess) return error;
  if (found->capture)
    capture(*found, std::move(work));
  else
    post(state, *found, item_of(std::move(work)));
  return cudaSuccess;
}

cudaError_t submit_and_wait(State& state, cudaStream_t stream, Work work) {
  Stream* found = state.find_stream(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (const auto error = check_uncaptured_use(state, *found); error != cudaSuccess) return error;
  state.engine.wait(post(state, *found, item_of(std::move(work))));
  return cudaSuccess;
}

}  // namespace xcuda::runtime
