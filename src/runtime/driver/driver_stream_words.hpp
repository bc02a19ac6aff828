// Words of memory that streams and nodes of graphs write and wait for.
#pragma once

#include <cstdint>

#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {

struct Word {
  CUdeviceptr address = 0;
  cuuint64_t value = 0;  // its low half of a word of 32 bits
  int bits = 32;
};

struct WordStep {
  enum class Kind : std::uint8_t { none, wait, write } kind = Kind::none;
  Word word;
  unsigned how = 0;  // of a wait, one of CUstreamWaitValue_flags
};
constexpr unsigned kMostWordSteps = 256;  // of one call

// Errors: operations and flags that there are not.
cudaError_t read_word_step(const CUstreamBatchMemOpParams& from, WordStep& step);
// The kernel of a step that waits or writes. Errors: no memory for the word.
cudaError_t read_word_kernel(State& state, const WordStep& step, KernelWork& work);

}  // namespace xcuda::runtime::driver
