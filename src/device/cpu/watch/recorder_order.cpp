// What orders the accesses of a launch: blocks and their phases, barriers, fences with atomics, mbarriers.
#include <algorithm>

#include "device/cpu/watch/access_recorder.hpp"

namespace xcuda::device::cpu {

namespace {

std::uint64_t linear_block(const BlockFrame& frame) {
  const std::uint32_t* grid = frame.launch->grid;
  return frame.block_index[0] +
         std::uint64_t{grid[0]} * (frame.block_index[1] + std::uint64_t{grid[1]} * frame.block_index[2]);
}

}  // namespace

void AccessRecorder::begin_block(BlockState& state, const BlockFrame& frame, std::uint64_t block) {
  state.block = block;
  state.begun = state.phase_time = tick();
  state.phase = 0;
  state.acquired = false;
  state.fenced.clear(), state.known.clear(), state.told.clear();
  state.waits_at.reset();
  if (!state.mbarriers.empty()) state.mbarriers.clear();
  state.warps.resize(frame.launch->warps);
  for (WarpState& warp : state.warps) {  // keeps its memory: there may be many blocks
    warp.phase = warp.synchronised = warp.ordered = 0;
    warp.copies.clear();
  }
  show(state);
}

void AccessRecorder::show(const BlockState& state, std::uint32_t warp) {
  const WarpState& own = state.warps[warp];
  view_.warps[warp] = {Mark::at(std::max(state.phase_time, own.ordered)), Mark::at(own.synchronised)};
}

void AccessRecorder::show(const BlockState& state) {
  view_.block = Mark::at(state.begun);
  view_.begun = state.begun;
  view_.barrier = 0;
  for (std::uint32_t warp = 0; warp < state.warps.size(); ++warp) show(state, warp);
}

void AccessRecorder::begin_phase(const BlockFrame& frame) {
  const bool begun = current_ && current_->block == linear_block(frame);
  BlockState& state = state_of(frame);
  if (!begun) return;
  ++state.phase;
  state.phase_time = tick();
  state.waits_at.reset();
  for (WarpState& warp : state.warps) warp.phase = state.phase;
  show(state);
}

AccessRecorder::BlockState& AccessRecorder::state_of(const BlockFrame& frame) {
  const std::uint64_t block = linear_block(frame);
  if (current_ && current_->block == block) return *current_;
  if (code_.yields) {
    const auto [found, added] = blocks_.try_emplace(block);
    if (added) begin_block(found->second, frame, block);
    current_ = &found->second;
  } else {
    begin_block(own_, frame, block);
    current_ = &own_;
  }
  turns_.emplace_back(tick(), block);
  return *current_;
}

// The state of the block of a running warp: the first warp after a barrier begins a phase.
AccessRecorder::BlockState& AccessRecorder::running(const BlockFrame& frame, std::uint32_t warp) {
  BlockState& state = state_of(frame);
  if (state.warps[warp].phase > state.phase) {
    state.phase = state.warps[warp].phase;
    state.phase_time = tick();
    state.waits_at.reset();
  }
  return state;
}

std::uint64_t AccessRecorder::block_at(std::uint32_t time) const {
  const auto after = std::upper_bound(turns_.begin(), turns_.end(), time,
                                      [](std::uint32_t t, const auto& turn) { return t < turn.first; });
  return after == turns_.begin() ? 0 : std::prev(after)->second;
}

std::uint32_t AccessRecorder::released(std::uint64_t block) const {
  const auto found = released_.find(block);
  return found == released_.end() ? 0 : found->second;
}

Order AccessRecorder::order_of(const BlockState& state, std::uint32_t warp, std::uint32_t since) const {
  const WarpState& own = state.warps[warp];
  return {Mark::at(since), Mark::at(state.begun), Mark::at(std::max(state.phase_time, own.ordered)),
          Mark::at(own.synchronised)};
}

bool AccessRecorder::ordered(const BlockState& state, Mark mark, const Now& now) const {
  const std::uint32_t time = mark.time();
  if (time == Mark::kPending) return false;
  if (time < launch_time_) return true;
  const bool own = is_own(state, time);
  if (now.shared && !own) return true;  // another block's memory, at the same place
  if (!own || mark.readers() == Mark::Readers::grid) return state.acquired && released(block_at(time)) > time;
  const WarpState& warp = state.warps[now.warp];
  if (time < std::max(state.phase_time, warp.ordered)) return true;
  if (mark.thread() == now.thread && mark.readers() == Mark::Readers::thread) return true;
  if (mark.readers() == Mark::Readers::thread && knows(state, now.thread, mark)) return true;
  return mark.thread() / kLanesPerWarp == now.warp && time < warp.synchronised && mark.readers() <= Mark::Readers::warp;
}

AccessRecorder::Answer AccessRecorder::arrive(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  std::uint32_t lane = 0;
  while (lane < kLanesPerWarp - 1 && !(call.mask >> lane & 1)) ++lane;
  if (!state.waits_at) {
    state.waits_at = call.site;
    state.waits_thread = call.warp * kLanesPerWarp + lane;
    view_.barrier = call.site + 1;
  }
  if (*state.waits_at == call.site) return std::nullopt;
  Finding finding{.kind = Finding::Kind::barrier};
  finding.lane = lane;
  finding.other_site = *state.waits_at;
  finding.other_thread = state.waits_thread;
  finding.other_block = state.block;
  return finding;
}

void AccessRecorder::suspended(const BlockFrame& frame, const LaneCall& call) {
  if (call.mask) ++state_of(frame).warps[call.warp].phase;
}

void AccessRecorder::warp_synchronised(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  state.warps[call.warp].synchronised = tick();
  show(state, call.warp);
}

void AccessRecorder::fence(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = state_of(frame);
  const std::uint32_t now = released_[state.block] = tick();
  if (!code_.yields) return;
  state.fenced.resize(state.warps.size() * kLanesPerWarp);
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1) state.fenced[call.warp * kLanesPerWarp + lane] = now;
}

// An atomic tells there what its thread did before its last fence, and what it knew; and learns what others have told.
void AccessRecorder::exchange(BlockState& state, std::uint32_t thread, Address address) const {
  if (state.fenced.empty()) return;  // then nobody has told anything
  state.known.resize(state.fenced.size());
  Clock &own = state.known[thread], &there = state.told[address];
  Clock all;
  const auto add = [&](const std::pair<std::uint32_t, std::uint32_t>& each) {
    if (!all.empty() && all.back().first == each.first)
      all.back().second = std::max(all.back().second, each.second);
    else
      all.push_back(each);
  };
  const std::pair<std::uint32_t, std::uint32_t> mine{thread, state.fenced[thread]};
  const std::span<const std::pair<std::uint32_t, std::uint32_t>> parts[] = {own, there, {&mine, mine.second ? 1u : 0u}};
  std::size_t at[3] = {};
  for (;;) {
    int first = -1;
    for (int i = 0; i < 3; ++i)
      if (at[i] < parts[i].size() && (first < 0 || parts[i][at[i]].first < parts[first][at[first]].first)) first = i;
    if (first < 0) break;
    add(parts[first][at[first]++]);
  }
  own = all;
  there = std::move(all);
}

bool AccessRecorder::knows(const BlockState& state, std::uint32_t thread, Mark mark) {
  if (state.known.empty()) return false;
  const Clock& clock = state.known[thread];
  const auto found = std::lower_bound(clock.begin(), clock.end(), std::pair{mark.thread(), 0u});
  return found != clock.end() && found->first == mark.thread() && found->second > mark.time();
}

void AccessRecorder::arrived(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  const std::uint32_t now = tick();
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1) state.mbarriers[call.arguments[0][lane]] = now;
}

void AccessRecorder::waited(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  std::uint32_t& ordered = state.warps[call.warp].ordered;
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1) ordered = std::max(ordered, state.mbarriers[call.arguments[0][lane]]);
  show(state, call.warp);
}

}  // namespace xcuda::device::cpu
