// What orders the accesses of a launch: blocks and their phases, barriers, fences with atomics, mbarriers.
#include <algorithm>
#include <bit>

#include "device/cpu/watch/access_recorder.hpp"

namespace xcuda::device::cpu {

using ptx::Modifier;

namespace {

std::uint64_t linear_block(const BlockFrame& frame) {
  const std::uint32_t* grid = frame.launch->grid;
  return frame.block_index[0] +
         std::uint64_t{grid[0]} * (frame.block_index[1] + std::uint64_t{grid[1]} * frame.block_index[2]);
}

}  // namespace

void AccessRecorder::begin_block(BlockState& state, const BlockFrame& frame, std::uint64_t block) {
  state.block = block;
  state.begun = tick();
  state.order.begin({block, frame.launch->warps, frame.launch->last_mask}, state.begun);
  state.phase = 0;
  state.waits_at.reset();
  if (!state.mbarriers.empty()) state.mbarriers.clear();
  if (!state.tiles.empty()) state.tiles.clear();
  if (!state.told.empty()) state.told.clear();
  state.warps.resize(frame.launch->warps);
  for (WarpState& warp : state.warps) {  // keeps its memory: there may be many blocks
    warp.phase = 0;
    warp.copies.clear();
  }
  show(state);
}

void AccessRecorder::show(const BlockState& state, std::uint32_t warp) {
  view_.warps[warp] = {Mark::at(state.order.phase()), Mark::at(state.order.synchronised(warp))};
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
  state.order.barrier(tick());
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
    state.order.barrier(tick());
    state.waits_at.reset();
  }
  return state;
}

std::uint64_t AccessRecorder::block_at(std::uint32_t time) const {
  const auto after = std::upper_bound(turns_.begin(), turns_.end(), time,
                                      [](std::uint32_t t, const auto& turn) { return t < turn.first; });
  return after == turns_.begin() ? 0 : std::prev(after)->second;
}

Order AccessRecorder::order_of(const BlockState& state, std::uint32_t warp, std::uint32_t since) const {
  return {Mark::at(since), Mark::at(state.begun), Mark::at(state.order.phase()),
          Mark::at(state.order.synchronised(warp))};
}

// A mark that several readers share says who was the last one, and until when all of them have read; of a kernel whose
// blocks take turns, readers_ knows the others.
bool AccessRecorder::ordered(const BlockState& state, Mark mark, const Now& now) const {
  const std::uint32_t time = mark.time();
  if (time == Mark::kPending) return false;
  if (time < launch_time_) return true;
  const bool own = is_own(state, time);
  if (now.shared && !own) return true;  // another block's memory, at the same place
  using Readers = Mark::Readers;
  if (own && time < state.order.phase() && mark.readers() != Readers::grid) return true;
  const bool others = mark.readers() == Readers::block || (mark.readers() == Readers::grid && own);
  // Some reader in the same warp is another thread than this one.
  if (others ||
      (mark.readers() == Readers::warp && mark.thread() == now.thread && !state.order.met_since(now.thread, time)))
    return false;
  return state.order.knows(now.thread, {own ? state.block : block_at(time), mark.thread(), time, mark.atomic()});
}

bool AccessRecorder::ordered(const BlockState& state, const Readers& readers, const Now& now) const {
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if ((readers.lanes >> lane & 1) &&
        !state.order.knows(now.thread, {readers.block, readers.warp * kLanesPerWarp + lane, readers.time, false}))
      return false;
  return true;
}

// An atomic with the scope of a block is a plain access for the threads of other blocks.
bool AccessRecorder::meet_as_atomics(const BlockState& state, Mark other, const Now& now) const {
  if (now.shared || other.time() < launch_time_ || is_own(state, other.time())) return true;
  return !code_.sites[now.site].operation.has(Modifier::cta) && !code_.sites[other.site()].operation.has(Modifier::cta);
}

// --- Readers of one word --------------------------------------------------------------------------------------------

Mark AccessRecorder::mark_reader(const BlockState& state, Mark before, const Now& now) const {
  using Readers = Mark::Readers;
  const Mark mark(time_, now.thread, now.site);
  const bool live = before.time() >= launch_time_, mine = live && is_own(state, before.time());
  if (!mine && (!live || now.shared)) return mark;
  if (before.readers() == Readers::grid) return before;
  if (ordered(state, before, now)) return mark;
  if (!mine) return mark.with(Readers::grid);
  return mark.with(before.thread() / kLanesPerWarp == now.warp && before.readers() <= Readers::warp ? Readers::warp
                                                                                                    : Readers::block);
}

Mark AccessRecorder::add_reader(const BlockState& state, Mark before, const Now& now, Address word) {
  const Mark mark(time_, now.thread, now.site);
  const bool live = before.time() >= launch_time_, mine = live && is_own(state, before.time());
  if (!mine && (!live || now.shared)) return mark;
  const bool alone = before.readers() == Mark::Readers::thread;
  if (alone && ordered(state, before, now)) return mark;
  std::vector<Readers>& all = readers_[word];
  const auto lane_of = [](std::uint32_t thread) { return std::uint32_t{1} << thread % kLanesPerWarp; };
  if (alone)
    all = {{mine ? state.block : block_at(before.time()), before.thread() / kLanesPerWarp, lane_of(before.thread()),
            before.time(), before.site()}};
  Readers& last = all.back();
  if (last.block == state.block && last.warp == now.warp && last.time == time_) {
    last.lanes |= lane_of(now.thread);
  } else {
    // Those that are ordered before this reader need not be known any more. They are looked for now and then.
    if (std::has_single_bit(all.size()))
      std::erase_if(all, [&](const Readers& each) { return ordered(state, each, now); });
    all.push_back({state.block, now.warp, lane_of(now.thread), time_, now.site});
  }
  return mark.with(Mark::Readers::block);
}

AccessRecorder::Answer AccessRecorder::unordered_reader(const BlockState& state, const Now& now, Address word) const {
  const auto found = readers_.find(word);
  if (found == readers_.end()) return std::nullopt;
  for (const Readers& readers : found->second) {
    if (now.shared && readers.block != state.block) continue;
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      if (readers.lanes >> lane & 1)
        if (Answer answer = conflict(state, Mark(readers.time, readers.warp * kLanesPerWarp + lane, readers.site),
                                     Access::read, now))
          return answer;
  }
  return std::nullopt;
}

// --- Barriers -------------------------------------------------------------------------------------------------------

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

}  // namespace xcuda::device::cpu
