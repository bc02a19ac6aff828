// Copies and fills, which all are boxes of bytes.
#pragma once

#include <optional>

#include "runtime/api_calls.hpp"
#include "runtime/boxes.hpp"

namespace xcuda::runtime {

// synchronous: returns when it is done. asynchronous: so does a copy from or to pageable memory, as CUDA may.
enum class Return : std::uint8_t { synchronous, asynchronous };
cudaError_t copy(State& state, const Copy& copy, cudaStream_t stream, Return when);
cudaError_t fill(State& state, const Fill& fill, cudaStream_t stream, Return when);

// Copies of bytes, with attributes for those from starts[i] on. Where one fails, `failed` is its number.
struct Batch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
  const cudaMemcpyAttributes* attributes;
  const std::size_t* starts;
  std::size_t attribute_count;
};
inline constexpr auto kNoCopy = static_cast<std::size_t>(-1);  // none of them is what failed
cudaError_t copy_batch(const Batch& batch, cudaStream_t stream, std::size_t* failed);
cudaError_t copy_box_batch(const cudaMemcpy3DBatchOp* list, std::size_t count, unsigned long long flags,
                           cudaStream_t stream, std::size_t* failed);

// For nodes of graphs: check() finds what is wrong with one, perform() does its work.
cudaError_t check(State& state, const Copy& copy);
cudaError_t check(State& state, const Fill& fill);
void perform(const Copy& copy);
void perform(const Fill& fill);

// Conversion from CUDA's box and back; with an array a box is counted in elements.
cudaError_t read_box(State& state, const cudaMemcpy3DParms& box, Copy& copy);
cudaMemcpy3DParms box_of(const Copy& copy);

}  // namespace xcuda::runtime
