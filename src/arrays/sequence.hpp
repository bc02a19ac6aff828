// The initial values that are a function of the index: arange, linspace, uniform, normal, and one constant.
// Small arrays are computed here, others by a kernel of the same source; the bits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "arrays/operations.hpp"
#include "arrays/pointer.hpp"
#include "base/type.hpp"
#include "xcuda/sequence.cuh"

namespace xcuda::arrays {

struct Sequence {
  enum class Kind : std::uint8_t { arange, linspace, uniform, normal } kind = Kind::arange;
  // arange: start, step; linspace: start, stop (inclusive); uniform: lo, hi (half-open); normal: mean, deviation
  double first = 0, second = 1;
  bool integral = false;  // arange of integers: exact in 64 bits
  std::int64_t whole_first = 0, whole_second = 1;
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  // elements of the whole array
};

// The rule by which xcuda/sequence.cuh makes elements of this type.
SequenceRule rule_of(const Sequence& sequence, const Type& type);

// Fills all elements of the target, whose type is arithmetic.
void fill(Operations& operations, const Sequence& sequence, const Pointer& target);

// Elements [start, start + n) of the sequence, n = bytes.size() / type.size, in an arithmetic type.
void fill_sequence(const Sequence& sequence, const Type& type, std::uint64_t start, std::span<std::byte> bytes);

}  // namespace xcuda::arrays
