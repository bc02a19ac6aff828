// Copies and fills, which all are boxes of bytes.
#pragma once

#include "runtime/calls.hpp"

namespace xcuda::runtime {

struct Side {
  const void* address = nullptr;
  std::size_t pitch = 0, slice = 0;  // bytes from a row to the next, from a slice to the next
};

struct Copy {
  Side to, from;
  std::size_t width = 0, height = 1, depth = 1;  // width in bytes
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct Fill {
  Side to;
  unsigned value = 0;
  int value_bytes = 1;                           // 1, 2 or 4: of each element
  std::size_t width = 0, height = 1, depth = 1;  // width in bytes
};

// synchronous: returns when it is done. asynchronous: so does a copy from or to pageable memory, as CUDA may.
enum class Return : std::uint8_t { synchronous, asynchronous };
cudaError_t copy(State& state, const Copy& copy, cudaStream_t stream, Return when);
cudaError_t fill(State& state, const Fill& fill, cudaStream_t stream, Return when);

}  // namespace xcuda::runtime
