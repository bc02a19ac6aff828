// What each function of the runtime begins and ends with.
#pragma once

#include <cuda_runtime_api.h>

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

cudaError_t failure_of_device();  // what ended it; cudaSuccess while it lives, and before it is made

// Runs a function; what it throws becomes CUDA's error, and a line on stderr, or `message`.
cudaError_t converted(const std::function<cudaError_t()>& function, std::string* message = nullptr);

// For a function that needs the device: makes the device the first time, and returns the error that ended it, if any.
cudaError_t with_state(const std::function<cudaError_t(State&)>& function);
// For a function that does not need the device.
cudaError_t without_state(const std::function<cudaError_t()>& function);
// Ends the device and all that is on it.
void reset_state();

// Posts to a stream, or to the graph that it captures.
cudaError_t submit(State& state, cudaStream_t stream, Work work);
// Posts to a stream and waits for the work. Errors: a stream that captures.
cudaError_t submit_and_wait(State& state, cudaStream_t stream, Work work);
// Posts what no graph can hold. The number is that of the last item; other threads may have posted more since.
Engine::Number post(State& state, Stream& stream, std::vector<Item> items);
Engine::Number post(State& state, Stream& stream, Item item);

}  // namespace xcuda::runtime
