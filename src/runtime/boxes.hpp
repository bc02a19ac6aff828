// Boxes of bytes, which copies and fills work on.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

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

}  // namespace xcuda::runtime
