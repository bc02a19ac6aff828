#include "device/cpu/plan/spans.hpp"

#include <map>

#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

std::vector<Span> register_spans(const Plan& plan) {
  const Graph& graph = plan.graph;
  const std::size_t registers = graph.function->registers.size(), blocks = graph.blocks.size();
  std::vector<Span> spans(registers);
  // Of what a block needs, each register that no block before it in the sweep did.
  const auto sweep = [&](BlockIndex b, BitSet& seen) {
    const auto add = [&](const BitSet& needed) {
      seen.each_added(needed, [&](ptx::Register reg) { spans[reg].add(b); });
    };
    add(graph.live[b]);
    add(plan.kept[b]);
    for (const BlockIndex next : {graph.blocks[b].next, graph.blocks[b].taken})
      if (next != kNoBlock) add(graph.live[next]);
  };
  BitSet from_the_start(registers), from_the_end(registers);
  for (BlockIndex b = 0; b < blocks; ++b) sweep(b, from_the_start);
  for (BlockIndex b = static_cast<BlockIndex>(blocks); b-- > 0;) sweep(b, from_the_end);
  return spans;
}

std::vector<std::uint32_t> share_places(const std::vector<Span>& spans, const std::vector<std::uint64_t>& kinds) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (!spans[i].empty()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return spans[a].first < spans[b].first; });
  std::vector<std::uint32_t> places(spans.size(), kNoPlace);
  std::uint32_t count = 0;
  std::map<std::uint64_t, std::multimap<BlockIndex, std::uint32_t>> used;  // by kind: by the last block, the place
  for (const std::size_t i : order) {
    auto& places_of_kind = used[kinds[i]];
    if (const auto first = places_of_kind.begin(); first != places_of_kind.end() && first->first < spans[i].first) {
      places[i] = first->second;
      places_of_kind.erase(first);
    } else {
      places[i] = count++;
    }
    places_of_kind.emplace(spans[i].last, places[i]);
  }
  return places;
}

std::vector<std::uint32_t> share_masks(const Plan& plan) {
  const std::vector<FlowBlock>& blocks = plan.graph.blocks;
  std::vector<Span> spans(blocks.size());
  std::vector<std::uint64_t> kinds(blocks.size());
  for (BlockIndex b = 0; b < blocks.size(); ++b) {
    spans[b].add(b);
    for (const BlockIndex next : {blocks[b].next, blocks[b].taken})
      if (next != kNoBlock) spans[next].add(b);
    plan.pending[b].each([&](BlockIndex other) { spans[other].add(b); });
    // Lanes that waited for each other or at a barrier may go on at any time.
    if (plan.is_resumed(b) || plan.graph.meetings.contains(b) || blocks[b].after_yield) kinds[b] = 1 + b;
  }
  for (const LaneLoop& loop : plan.lane_loops)
    for (const BlockIndex exit : loop.exits)
      if (exit != kNoBlock) spans[exit].add(loop.head);
  return share_places(spans, kinds);
}

}  // namespace xcuda::device::cpu
