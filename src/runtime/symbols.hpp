// Copies to and from variables of device code.
#pragma once

#include "runtime/api_calls.hpp"
#include "runtime/boxes.hpp"

namespace xcuda::runtime {

struct Part {
  const void* symbol;
  std::size_t bytes, offset;
};
enum class Direction : std::uint8_t { to_symbol, from_symbol };

cudaError_t read_part(State& state, const Part& part, const void* other, cudaMemcpyKind kind, Direction direction,
                      Copy& copy);

}  // namespace xcuda::runtime
