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

// For nodes of graphs: check() finds what is wrong with one, perform() does its work.
cudaError_t check(State& state, const Copy& copy);
cudaError_t check(State& state, const Fill& fill);
void perform(const Copy& copy);
void perform(const Fill& fill);

// Conversion from CUDA's box and back; with an array a box is counted in elements.
cudaError_t read_box(State& state, const cudaMemcpy3DParms& box, Copy& copy);
cudaMemcpy3DParms box_of(const Copy& copy);

}  // namespace xcuda::runtime
