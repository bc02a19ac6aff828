// What host and device share of merging sorted runs.
#pragma once

namespace xcuda {

constexpr unsigned kMergeBlock = 256, kMergeItems = 8,
                   kMergeTile = kMergeBlock * kMergeItems;  // keys of a thread, a block

// Elements [begin, middle) and [middle, end) are sorted; [first, last) of what they become is wanted.
struct MergeRange {
  unsigned long begin, middle, end, first, last;
};

}  // namespace xcuda
