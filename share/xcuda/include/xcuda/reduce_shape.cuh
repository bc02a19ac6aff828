// What host and device share of a reduction.
#pragma once

namespace xcuda {

using Count = unsigned long;

constexpr Count kReduceBlocks = 2048;  // that share rows among them, at most

// An array as [outer][extent][inner], reduced over extent in `chunks` pieces; part[output * chunks + chunk].
struct ReduceShape {
  Count outer, extent, inner, chunks;
};

}  // namespace xcuda
