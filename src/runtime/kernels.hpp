// A registered kernel, ready to be launched.
#pragma once

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

struct Kernel {
  Function* function = nullptr;
  const device::FunctionInfo* info = nullptr;
};

// host: the address of the kernel's function on the host, or a cudaKernel_t. Errors: those of no_kernel().
cudaError_t find_kernel(State& state, const void* host, Kernel& kernel);

// The error for a `host` that is not a kernel: what is not null counts as a wrong cudaKernel_t.
cudaError_t no_kernel(const void* host);

struct LaunchCall {
  const void* function = nullptr;
  dim3 grid, block;
  void** arguments = nullptr;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  device::LaunchMode mode = device::LaunchMode::normal;
  void** extra = nullptr;  // instead of `arguments`: the Driver API's words for one block of memory with all of them
};
// Errors that are known at once make a capture of the stream invalid.
cudaError_t launch(State& state, const LaunchCall& call);
// Whether the device takes blocks and grids of this shape.
bool has_valid_shape(State& state, const dim3& grid, const dim3& block);
// What a launch or a kernel node does.
cudaError_t prepare(State& state, const LaunchCall& call, KernelWork& work);
// Reads the attributes; most of them are hints.
cudaError_t read_attributes(const cudaLaunchAttribute* attributes, unsigned count, LaunchCall& call);

// Blocks of `threads` that a multiprocessor holds at once.
int active_blocks(State& state, const Kernel& kernel, int threads, std::size_t shared);

}  // namespace xcuda::runtime
