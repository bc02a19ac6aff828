// Where threads pass on what they know of accesses: fences and atomics, mbarriers, tiles of several warps.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "device/cpu/watch/access_recorder.hpp"

namespace xcuda::device::cpu {

using ptx::Modifier;
using ptx::Trait;

// arguments[0]: by lane the mask that it names. Lanes that name the same ones, and run this together, are ordered.
void AccessRecorder::warp_synchronised(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  const std::uint32_t now = tick();
  for (std::uint32_t left = call.mask; left != 0;) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto named = static_cast<std::uint32_t>(call.arguments[0][first]);
    std::uint32_t together = std::uint32_t{1} << first;
    for (std::uint32_t lane = first; lane < kLanesPerWarp; ++lane)
      if ((left >> lane & 1) && call.arguments[0][lane] == call.arguments[0][first])
        together |= std::uint32_t{1} << lane;
    state.order.meet(call.warp, together & (named | std::uint32_t{1} << first), now);
    left &= ~together;
  }
  show(state, call.warp);
}

void AccessRecorder::fence(const BlockFrame& frame, const LaneCall& call) {
  if (!exchanges_) return;
  BlockState& state = running(frame, call.warp);
  const FenceScope scope = code_.sites[call.site].operation.has(Modifier::cta) ? FenceScope::block : FenceScope::grid;
  state.order.fence(call.warp, call.mask, scope, tick());
}

// --- Atomics --------------------------------------------------------------------------------------------------------

ThreadClock* AccessRecorder::found(const Told& told, Address address) {
  const auto at = told.find(address);
  return at == told.end() ? nullptr : at->second;
}

// What the access adds to: a store begins anew, because who reads its value has not read what was there before.
ThreadClock& AccessRecorder::fresh(Told& told, const Exchange& exchange) {
  ThreadClock*& clock = told[exchange.address];
  if (!clock || (!exchange.operation.is(Trait::atomic) && clock->is_long()))
    return *(clock = &clocks_.emplace_back(ThreadClock::Kept::for_launch));
  if (!exchange.operation.is(Trait::atomic)) clock->clear();
  return *clock;
}

void AccessRecorder::hear(const BlockFrame& frame, BlockState& state, const Exchange& exchange) {
  const ptx::Operation& operation = exchange.operation;
  if (const Tile tile = tile_at(frame, state, exchange); tile.word) return hear(state, tile, exchange);
  const bool reads = operation.is(Trait::atomic) ? operation.opcode != ptx::Opcode::red : operation.is(Trait::reads);
  if (!reads) return;
  const bool later = operation.has(Modifier::release);  // a fence after it acquires
  const auto from = [&](const ThreadClock* told) {
    if (!told) return;
    if (later)
      state.order.read(exchange.thread, *told, time_);
    else
      state.order.hear(exchange.thread, *told, time_);
  };
  from(found(state.told, exchange.address));
  if (!exchange.shared && !operation.has(Modifier::cta)) from(found(told_, exchange.address));
}

void AccessRecorder::tell(const BlockFrame& frame, BlockState& state, const Exchange& exchange) {
  const ptx::Operation& operation = exchange.operation;
  if (const Tile tile = tile_at(frame, state, exchange); tile.word) return tell(state, tile, exchange);
  if (!operation.is(Trait::atomic) && !operation.is(Trait::writes)) return;
  const auto to = [&](Told& told, FenceScope scope) {
    if (operation.releases())
      state.order.tell(exchange.thread, fresh(told, exchange), tick());
    else if (state.order.has_released(exchange.thread, scope))
      state.order.tell_released(exchange.thread, fresh(told, exchange), scope, tick());
    else if (!operation.is(Trait::atomic) && found(told, exchange.address))
      fresh(told, exchange);
  };
  to(state.told, FenceScope::block);
  if (!exchange.shared && !operation.has(Modifier::cta)) to(told_, FenceScope::grid);
}

// --- Mbarriers ------------------------------------------------------------------------------------------------------

// Who waits for a phase knows what was told in it, and not what others have told in the next one already.
AccessRecorder::Mbarrier& AccessRecorder::mbarrier_at(const BlockFrame& frame, BlockState& state, Address address) {
  Mbarrier& mbarrier = state.mbarriers[address];
  const auto shared = reinterpret_cast<Address>(frame.shared);
  if (address - shared > frame.launch->shared_bytes - sizeof(std::uint64_t)) return mbarrier;
  std::uint64_t word = 0;
  std::memcpy(&word, frame.shared + (address - shared), sizeof word);
  const std::uint64_t phase = word >> 2 * kMbarrierCountBits;
  if (phase != mbarrier.phase) {
    mbarrier.complete = std::exchange(mbarrier.arrived, {});
    mbarrier.phase = phase;
  }
  return mbarrier;
}

void AccessRecorder::arrived(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  const std::uint32_t now = tick();
  for (std::uint32_t left = call.mask; left != 0;) {
    const Address address = call.arguments[0][std::countr_zero(left)];
    std::uint32_t together = 0;
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      if ((left >> lane & 1) && call.arguments[0][lane] == address) together |= std::uint32_t{1} << lane;
    state.order.tell(call.warp, together, mbarrier_at(frame, state, address).arrived, now);
    left &= ~together;
  }
}

void AccessRecorder::waited(const BlockFrame& frame, const LaneCall& call) {
  if (call.mask == 0) return;
  BlockState& state = running(frame, call.warp);
  const std::uint32_t now = tick();
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1)
      state.order.hear(call.warp * kLanesPerWarp + lane, mbarrier_at(frame, state, call.arguments[0][lane]).complete,
                       now);
}

// --- Tiles of several warps -----------------------------------------------------------------------------------------

// Cooperative groups keep a word for each size of tile, from two warps on, in the memory that the system reserves. A
// warp that comes sets its bit with or; the last one of a tile clears the tile's bits with and; the others wait for
// that. So what is passed on goes by bits, and not from a tile to the others that use the word.
AccessRecorder::Tile AccessRecorder::tile_at(const BlockFrame& frame, BlockState& state, const Exchange& exchange) {
  constexpr std::uint32_t kSizes = 5;  // of 64, 128, ... threads
  if (!exchange.shared || code_.tile_words < 0) return {};
  const Address offset =
      exchange.address - reinterpret_cast<Address>(frame.shared) - static_cast<Address>(code_.tile_words);
  if (offset >= kSizes * sizeof(std::uint32_t)) return {};
  const std::uint32_t warps = 2u << offset / sizeof(std::uint32_t), warp = exchange.thread / kLanesPerWarp;
  return {&state.tiles[exchange.address], warp / warps * warps, std::min(warps, kLanesPerWarp), warp};
}

void AccessRecorder::hear(BlockState& state, const Tile& tile, const Exchange& exchange) {
  const ptx::Operation& operation = exchange.operation;
  if (!operation.is(Trait::atomic)) return state.order.hear(exchange.thread, (*tile.word)[tile.warp], time_);
  if (operation.opcode == ptx::Opcode::red || !operation.has(Modifier::or_)) return;
  std::uint32_t come = 0;
  std::memcpy(&come, reinterpret_cast<const void*>(exchange.address), sizeof come);
  for (std::uint32_t warp = tile.first; warp < tile.first + tile.warps; ++warp)
    if (come >> warp & 1) state.order.hear(exchange.thread, (*tile.word)[warp], time_);
}

void AccessRecorder::tell(BlockState& state, const Tile& tile, const Exchange& exchange) {
  const ptx::Operation& operation = exchange.operation;
  TileWord& word = *tile.word;
  const std::uint32_t now = tick();
  if (operation.has(Modifier::or_)) {
    word[tile.warp].clear();
    state.order.tell(exchange.thread, word[tile.warp], now);
  } else if (operation.has(Modifier::and_)) {
    ThreadClock all;
    for (std::uint32_t warp = tile.first; warp < tile.first + tile.warps; ++warp) all.add(word[warp], now);
    if (operation.has(Modifier::release)) state.order.tell(exchange.thread, all, now);
    for (std::uint32_t warp = tile.first; warp < tile.first + tile.warps; ++warp) word[warp] = all;
  }
}

}  // namespace xcuda::device::cpu
