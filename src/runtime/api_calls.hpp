// What each function of the runtime begins and ends with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/state.hpp"

namespace xcuda::runtime {

// The thread's last error is this one, where it is one.
cudaError_t set_last(cudaError_t error);
cudaError_t last_error();
void clear_last();

// For the Driver API: restores what the thread knows of the CUDA Runtime when the scope ends.
class RuntimeUnchanged {
 public:
  RuntimeUnchanged();
  ~RuntimeUnchanged();
  RuntimeUnchanged(const RuntimeUnchanged&) = delete;
  RuntimeUnchanged& operator=(const RuntimeUnchanged&) = delete;

 private:
  cudaError_t last_;
  bool used_;
};
bool thread_uses_runtime();  // it has called a function that needs the device

// Runs a function; what it throws becomes CUDA's error, and a line on stderr, or `message`.
cudaError_t converted(const std::function<cudaError_t()>& function, std::string* message = nullptr);

// Whether what ended the device is the answer to a call: if it was before or during the call; only before it, for a
// call that waits for nothing; or never, for one that a device that has ended takes.
enum class Failures : std::uint8_t { all, earlier, none };
// For a function that needs the device: makes the device the first time.
cudaError_t with_state(const std::function<cudaError_t(State&)>& function, Failures failures = Failures::all);
// For a function that does not need the device.
cudaError_t without_state(const std::function<cudaError_t()>& function);
// Ends the device and all that is on it.
void reset_state();

// That an allocation is freed: its pool counts it, and what was said about managed memory is forgotten.
void note_freed(State& state, const Allocation& allocation);

// While streams capture, some calls are errors, and invalidate the captures that they conflict with: calls that are
// not safe then, as the mode of the capture and that of the thread have it; a wait for the whole device, always; and
// work in a stream, where its capture is invalid, or where it is the default stream, which waits for a stream that
// captures.
cudaError_t refuse_unsafe(State& state);
cudaError_t refuse_in_capture(State& state);
cudaError_t check_use(State& state, const Stream& stream);
cudaError_t check_uncaptured_use(State& state, const Stream& stream);  // for what a capture of the stream does not take

// Posts to a stream, or to the graph that it captures.
cudaError_t submit(State& state, cudaStream_t stream, Work work);
// Posts to a stream and waits for the work. Errors: a stream that captures.
cudaError_t submit_and_wait(State& state, cudaStream_t stream, Work work);
// Posts what no graph can hold. The number is that of the last item; other threads may have posted more since.
Engine::Number post(State& state, Stream& stream, std::vector<Item> items);
Engine::Number post(State& state, Stream& stream, Item item);

}  // namespace xcuda::runtime
