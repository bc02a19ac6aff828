// From which block to which, in the order of the text, something has to be kept. What has spans that do not overlap may
// be in one place: LLVM makes values of stack slots in a time that grows with their number times that of the blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/cpu/plan/flow_graph.hpp"

namespace xcuda::device::cpu {

struct Plan;

struct Span {
  BlockIndex first = kNoBlock, last = 0;

  bool empty() const { return first > last; }
  void add(BlockIndex block) {
    first = std::min(first, block);
    last = std::max(last, block);
  }
};

std::vector<Span> register_spans(const Plan& plan);  // by register; empty: no block needs it of another one

constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
// A place for each span that is not empty, numbered from 0. Spans of different kinds do not share one.
std::vector<std::uint32_t> share_places(const std::vector<Span>& spans, const std::vector<std::uint64_t>& kinds);

// By block, a place for the mask of lanes that wait to run it after they diverged.
std::vector<std::uint32_t> share_masks(const Plan& plan);

}  // namespace xcuda::device::cpu
