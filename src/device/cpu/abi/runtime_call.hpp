// Functions of the CUDA Runtime that kernels call: dynamic parallelism, as nvcc and NVRTC compile it with -rdc=true.
#pragma once

#include <cstdint>

namespace xcuda::device::cpu {

// The arguments of Service::runtime, for each function. Results are a cudaError_t unless the line says otherwise.
enum class RuntimeCall : std::uint8_t {
  none,
  parameter_buffer,  // [0] function token, [1] to [3] extents of grid and block, two words each; [4] bytes of shared
                     // memory; result: where the arguments go
  launch,            // [0] that place, [1] stream
  last_error,
  peek_error,
  error_name,    // [0] error; result: text
  error_string,  // the same
  device,        // [0] where it goes, as in those that follow
  device_count,
  create_stream,   // [1] flags
  destroy_stream,  // [0] stream
  wait_event,      // [0] stream, [1] event, [2] flags
  create_event,    // [0] where it goes, [1] flags
  record_event,    // [0] event, [1] stream
  destroy_event,   // [0] event
  allocate,        // [0] where the address goes, [1] bytes
  release,         // [0] address
  copy,            // [0] to, [1] from, [2] bytes, [3] kind, [4] stream
  fill,            // [0] to, [1] value, [2] bytes, [3] stream
};

}  // namespace xcuda::device::cpu
