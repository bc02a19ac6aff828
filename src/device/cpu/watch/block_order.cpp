#include "device/cpu/watch/block_order.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

namespace {

template <class Function> void each_lane(std::uint32_t lanes, Function&& function) {
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (lanes >> lane & 1) function(lane);
}

}  // namespace

void BlockOrder::begin(const Block& block, Time now) {
  block_ = block;
  begun_ = phase_ = now;
  warps_.resize(block.warps);
  for (Warp& warp : warps_) {
    warp.synchronised = 0;
    warp.met.reset();
  }
  common_ = {};
  threads_.clear();
  joined_ = {};
}

BlockOrder::Thread& BlockOrder::own(std::uint32_t thread) {
  if (threads_.empty()) threads_.resize(std::size_t{block_.warps} * kLanesPerWarp, common_);
  return threads_[thread];
}

void BlockOrder::barrier(Time now) {
  if (!threads_.empty()) {
    ThreadClock known, read, released[2];
    const ThreadClock* last = nullptr;
    for (const Thread& thread : threads_) {
      if (thread.known && thread.known.get() != last) known.add(*thread.known, now);
      last = thread.known.get();
      if (thread.read) read.add(*thread.read, now);
    }
    for (std::uint32_t warp = 0; warp < block_.warps; ++warp)
      for (const FenceScope scope : {FenceScope::block, FenceScope::grid})
        add_released(released[static_cast<std::size_t>(scope)], warp, lanes_of(warp), scope, now);
    const auto kept = [](ThreadClock& clock) {
      return clock.empty() ? Known() : std::make_shared<ThreadClock>(std::move(clock));
    };
    common_ = {.known = kept(known), .read = kept(read), .released = {}};
    for (std::size_t scope = 0; scope < 2; ++scope) common_.released[scope].known = kept(released[scope]);
    threads_.clear();
  }
  phase_ = now;
  for (Warp& warp : warps_) warp.met.reset();
}

void BlockOrder::meet(std::uint32_t warp, std::uint32_t lanes, Time now) {
  Warp& state = warps_[warp];
  if (lanes == lanes_of(warp)) {
    state.synchronised = now;
    state.met.reset();
  } else {
    meet_some(state, lanes, now);
  }
  if (!threads_.empty()) share(warp, lanes, now);
}

void BlockOrder::meet_some(Warp& warp, std::uint32_t lanes, Time now) {
  if (!warp.met) warp.met = std::make_unique<Met>(Met{});
  std::array<Time, kLanesPerWarp> all{};
  each_lane(lanes, [&](std::uint32_t lane) {
    for (std::uint32_t other = 0; other < kLanesPerWarp; ++other)
      all[other] = std::max(all[other], (*warp.met)[lane][other]);
  });
  each_lane(lanes, [&](std::uint32_t lane) { all[lane] = now; });
  each_lane(lanes, [&](std::uint32_t lane) { (*warp.met)[lane] = all; });
}

// Lanes that met know what each of them knew.
void BlockOrder::share(std::uint32_t warp, std::uint32_t lanes, Time now) {
  Thread* const threads = &threads_[std::size_t{warp} * kLanesPerWarp];
  std::uint32_t first = 0;
  while (first < kLanesPerWarp && !(lanes >> first & 1)) ++first;
  if (first == kLanesPerWarp) return;
  bool same = true, released = true;
  each_lane(lanes, [&](std::uint32_t lane) {
    same &= threads[lane].known == threads[first].known;
    released &= threads[lane].released == threads[first].released;
  });
  if (!same) {
    auto known = std::make_shared<ThreadClock>();
    const ThreadClock* last = nullptr;
    each_lane(lanes, [&](std::uint32_t lane) {
      const ThreadClock* each = threads[lane].known.get();
      if (each && each != last) known->add(*each, now);
      last = each;
    });
    each_lane(lanes, [&](std::uint32_t lane) { threads[lane].known = known; });
  }
  for (const FenceScope scope : {FenceScope::block, FenceScope::grid}) {
    const auto of = static_cast<std::size_t>(scope);
    if (released && threads[first].released[of].own == 0) continue;
    auto clock = std::make_shared<ThreadClock>();
    add_released(*clock, warp, lanes, scope, now);
    each_lane(lanes, [&](std::uint32_t lane) { threads[lane].released[of] = {clock, 0}; });
  }
}

// What the barriers of its block and its warp tell a thread.
void BlockOrder::add_barriers(ThreadClock& clock, std::uint32_t thread, Time now) const {
  const std::uint32_t warp = thread / kLanesPerWarp;
  const Warp& own = warps_[warp];
  if (phase_ > begun_) clock.add(ThreadClock::all(block_.number), phase_, now);
  if (own.synchronised > phase_) clock.add(ThreadClock::warp(block_.number, warp), own.synchronised, now);
  if (!own.met) return;
  const auto& row = (*own.met)[thread % kLanesPerWarp];
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (row[lane] > std::max(phase_, own.synchronised))
      clock.add(ThreadClock::thread(block_.number, warp * kLanesPerWarp + lane), row[lane], now);
}

// What the lanes' fences have released, of them all.
void BlockOrder::add_released(ThreadClock& clock, std::uint32_t warp, std::uint32_t lanes, FenceScope scope,
                              Time now) const {
  const std::uint32_t first = warp * kLanesPerWarp;
  const auto of = [&](std::uint32_t lane) -> const Released& {
    return at(first + lane).released[static_cast<std::size_t>(scope)];
  };
  bool together = lanes == lanes_of(warp);
  const ThreadClock* last = nullptr;
  each_lane(lanes, [&](std::uint32_t lane) {
    const ThreadClock* known = of(lane).known.get();
    if (known && known != last) clock.add(*known, now);
    last = known;
    together &= of(lane).own == of(0).own;
  });
  if (together) {
    if (of(0).own > 0) clock.add(ThreadClock::warp(block_.number, warp), of(0).own, now);
    return;
  }
  each_lane(lanes, [&](std::uint32_t lane) {
    if (of(lane).own > 0) clock.add(ThreadClock::thread(block_.number, first + lane), of(lane).own, now);
  });
}

void BlockOrder::fence(std::uint32_t warp, std::uint32_t lanes, FenceScope scope, Time now) {
  const Warp& state = warps_[warp];
  Known from, released;
  bool made = false;
  each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint32_t number = warp * kLanesPerWarp + lane;
    Thread& thread = own(number);
    if (thread.read) {
      thread.known = joined(thread.known, *thread.read, now);
      thread.read.reset();
    }
    if (!made || from != thread.known || state.met) {
      auto clock = thread.known ? std::make_shared<ThreadClock>(*thread.known) : std::make_shared<ThreadClock>();
      add_barriers(*clock, number, now);
      from = thread.known;
      released = std::move(clock);
      made = true;
    }
    thread.released[static_cast<std::size_t>(FenceScope::block)] = {released, now};
    if (scope == FenceScope::grid) thread.released[static_cast<std::size_t>(scope)] = {released, now};
  });
}

void BlockOrder::tell(std::uint32_t thread, ThreadClock& told, Time now) {
  if (const Known& known = at(thread).known) told.add(*known, now);
  add_barriers(told, thread, now);
  told.add(ThreadClock::thread(block_.number, thread), now, now);
}

void BlockOrder::tell(std::uint32_t warp, std::uint32_t lanes, ThreadClock& told, Time now) {
  const std::uint32_t first = warp * kLanesPerWarp;
  bool together = lanes == lanes_of(warp) && !warps_[warp].met;
  each_lane(lanes, [&](std::uint32_t lane) { together &= at(first + lane).known == at(first).known; });
  if (!together) return each_lane(lanes, [&](std::uint32_t lane) { tell(first + lane, told, now); });
  if (const Known& known = at(first).known) told.add(*known, now);
  add_barriers(told, first, now);
  told.add(ThreadClock::warp(block_.number, warp), now, now);
}

bool BlockOrder::has_released(std::uint32_t thread, FenceScope scope) const {
  const Released& released = at(thread).released[static_cast<std::size_t>(scope)];
  return released.known || released.own > 0;
}

void BlockOrder::tell_released(std::uint32_t thread, ThreadClock& told, FenceScope scope, Time now) {
  const Released& released = at(thread).released[static_cast<std::size_t>(scope)];
  if (released.known) told.add(*released.known, now);
  if (released.own > 0) told.add(ThreadClock::thread(block_.number, thread), released.own, now);
  told.add(ThreadClock::atomics(block_.number, thread), now, now);
}

BlockOrder::Known BlockOrder::joined(const Known& known, const ThreadClock& told, Time now) {
  if (joined_.result && joined_.from == known && joined_.told == &told && joined_.changed == told.changed())
    return joined_.result;
  auto clock = known ? std::make_shared<ThreadClock>(*known) : std::make_shared<ThreadClock>();
  clock->hear(told, now);
  joined_ = {known, clock, &told, told.changed()};
  return clock;
}

void BlockOrder::hear(std::uint32_t thread, const ThreadClock& told, Time now) {
  if (told.empty()) return;
  Thread& state = own(thread);
  if (state.last == &told && state.heard >= told.changed()) return;
  state.known = joined(state.known, told, now);
  state.last = &told;
  state.heard = now;
}

void BlockOrder::read(std::uint32_t thread, const ThreadClock& told, Time now) {
  if (told.empty()) return;
  Thread& state = own(thread);
  state.read = joined(state.read, told, now);
}

bool BlockOrder::met_since(std::uint32_t thread, Time time) const {
  const Warp& warp = warps_[thread / kLanesPerWarp];
  const std::uint32_t lane = thread % kLanesPerWarp;
  return time < warp.synchronised || (warp.met && time < (*warp.met)[lane][lane]);
}

bool BlockOrder::knows(std::uint32_t thread, const Access& access) const {
  if (access.block == block_.number) {
    if (access.time < phase_ || access.thread == thread) return true;
    if (access.thread / kLanesPerWarp == thread / kLanesPerWarp) {
      const Warp& warp = warps_[thread / kLanesPerWarp];
      if (access.time < warp.synchronised) return true;
      if (warp.met && access.time < (*warp.met)[thread % kLanesPerWarp][access.thread % kLanesPerWarp]) return true;
    }
  }
  const Known& known = at(thread).known;
  return known && (known->knows(access.block, access.thread, access.time) ||
                   (access.atomic && known->knows_atomic(access.block, access.thread, access.time)));
}

}  // namespace xcuda::device::cpu
