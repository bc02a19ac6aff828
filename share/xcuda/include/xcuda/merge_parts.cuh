// What host and device share of merging sorted parts.
#pragma once

namespace xcuda {

constexpr unsigned kMostSortedParts = 64, kMergeItems = 8;  // keys of a thread

struct SortedParts {
  unsigned long at[kMostSortedParts], count[kMostSortedParts];  // where each begins, and its elements
  unsigned parts;
};

}  // namespace xcuda
