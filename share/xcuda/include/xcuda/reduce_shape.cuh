// What host and device share of a reduction.
#pragma once

namespace xcuda {

using Count = unsigned long;

// An array as [outer][extent][inner], reduced over extent in `chunks` pieces; part[output * chunks + chunk].
struct ReduceShape {
  Count outer, extent, inner, chunks;
};

}  // namespace xcuda
