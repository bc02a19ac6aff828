// What host and device share of a sort.
#pragma once

namespace xcuda {

// A block has a thread for each digit, and may have more.
constexpr unsigned kSortBlock = 256, kSortDigits = 256;

// A block puts its keys in order in shared memory: a multiprocessor has enough for so many blocks.
struct SortShape {
  unsigned items, blocks;  // keys of a thread; blocks that share a multiprocessor at least
};
// Of keys and orders of up to 4 bytes, and of up to 8: [(bytes - 1) / 4].
constexpr SortShape kSortShapes[] = {{24, 4}, {16, 3}};

}  // namespace xcuda
