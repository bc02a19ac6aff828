// Sorted runs of an array become longer ones.
#pragma once

#include <cstdint>

#include "arrays/array_math.hpp"

namespace xcuda::arrays {

// Elements [begin, middle) and [middle, end) are sorted, and lie at one_run and at other_run; [first, last) of what
// they become is written to the same places of `to`, which is other memory. One of the runs may be empty.
struct MergeRequest {
  device::Address to = 0, one_run = 0, other_run = 0;
  Type type;
  std::uint64_t begin = 0, middle = 0, end = 0, first = 0, last = 0;
};
void merge_runs(Operations& operations, const MergeRequest& request);

}  // namespace xcuda::arrays
