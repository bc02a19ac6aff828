#include "device/cpu/access_recorder.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

namespace {

constexpr std::uint64_t page_bytes = 4096;

std::uint64_t linear_block(const BlockFrame& frame) {
  const std::uint32_t* grid = frame.launch->grid;
  return frame.block_index[0] +
         std::uint64_t{grid[0]} * (frame.block_index[1] + std::uint64_t{grid[1]} * frame.block_index[2]);
}

bool within(std::uint64_t address, std::uint64_t begin, std::uint64_t size) { return address - begin < size; }

}  // namespace

AccessRecorder::BlockState& AccessRecorder::state_of(const BlockFrame& frame) {
  const std::uint64_t block = linear_block(frame);
  if (block != block_) {
    block_ = block;
    current_ = &blocks_[block];
    current_->warp_phase.resize(frame.launch->warps);
    current_->warp_time.resize(frame.launch->warps);
  }
  return *current_;
}

// The same for a warp that runs: the first one behind a barrier begins a phase.
AccessRecorder::BlockState& AccessRecorder::running(const BlockFrame& frame, std::uint32_t warp) {
  BlockState& state = state_of(frame);
  if (state.warp_phase[warp] > state.phase) {
    state.phase = state.warp_phase[warp];
    state.phase_time = time_ + 1;
    state.waits_at.reset();
  }
  return state;
}

bool AccessRecorder::ordered(const BlockState& state, const Mark& mark, const Now& now) const {
  if (mark.block != now.block) {
    if (now.shared) return true;  // another block's memory, at the same place
    const auto other = blocks_.find(mark.block);
    return state.acquired && other != blocks_.end() && other->second.released > mark.time;
  }
  if (mark.thread == now.thread || mark.time < state.phase_time) return true;
  return mark.thread / lanes_per_warp == now.warp && mark.time < state.warp_time[now.warp];
}

// Whether the access is free of conflicts.
bool AccessRecorder::touch(const BlockState& state, Word& word, const Now& now, std::optional<std::uint32_t> value,
                           Finding& finding) const {
  auto conflict = [&](const Mark& mark, Access access) {
    if (mark.time == 0 || ordered(state, mark, now)) return false;
    finding.other_site = mark.site;
    finding.other_thread = mark.thread;
    finding.other_block = mark.block;
    finding.other_block_differs = mark.block != now.block;
    finding.other_access = access;
    return true;
  };
  const bool both_atomic = word.atomic && now.kind == Access::atomic;
  const bool same_value = value && !word.atomic && word.value == *value;
  if (!both_atomic && !same_value && conflict(word.write, word.atomic ? Access::atomic : Access::write)) return false;
  const Mark mark{time_, now.block, now.thread, now.site};
  if (now.kind == Access::read) {
    if (word.reads[0].thread != now.thread || word.reads[0].block != now.block) word.reads[1] = word.reads[0];
    word.reads[0] = mark;
    return true;
  }
  for (const Mark& read : word.reads)
    if (conflict(read, Access::read)) return false;
  word.write = mark;
  word.atomic = now.kind == Access::atomic;
  word.value = value.value_or(0);
  return true;
}

AccessRecorder::Page* AccessRecorder::page_of(std::uint64_t number, std::uint32_t size) {
  if (number != page_number_) {
    const auto [found, added] = pages_.try_emplace(number);
    if (added) taken_ += page_bytes / 4 * sizeof(Word);
    page_number_ = number;
    page_ = &found->second;
    if (added && taken_ <= most_) page_->words.resize(page_bytes / 4);
  }
  if (size < page_->word_bytes) {
    std::vector<Word> bytes(page_bytes);
    taken_ += (page_bytes - page_bytes / 4) * sizeof(Word);
    if (taken_ > most_) return nullptr;
    for (std::size_t i = 0; i < page_bytes && !page_->words.empty(); ++i) {
      bytes[i] = page_->words[i / 4];
      bytes[i].value = bytes[i].value >> (8 * (i % 4)) & 0xff;
    }
    page_->words = std::move(bytes);
    page_->word_bytes = 1;
  }
  return taken_ <= most_ ? page_ : nullptr;
}

std::optional<AccessRecorder::Finding> AccessRecorder::access(const BlockFrame& frame, const LaneCall& call,
                                                              const CheckedAccesses& accesses) {
  const BlockState& state = running(frame, call.warp);
  const std::uint32_t site_index = accesses.members[0].site;
  const AccessSite& site = code_.sites[site_index];
  ++time_;
  const auto shared = reinterpret_cast<std::uint64_t>(frame.shared);
  const bool stores_values = site.access == Access::write && site.components > 0;
  Finding finding;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane) {
    if (!(call.mask >> lane & 1)) continue;
    const std::uint64_t address = call.results[lane >> accesses.shift] +
                                  static_cast<std::uint64_t>(accesses.pattern[lane] + accesses.members[0].distance);
    // What belongs to one thread is of no interest.
    if (within(address, reinterpret_cast<std::uint64_t>(frame.locals),
               std::uint64_t{frame.launch->warps} * lanes_per_warp * code_.local_bytes) ||
        within(address, frame.stack_limit, frame.stack_end - frame.stack_limit))
      continue;
    const bool in_shared = within(address, shared, frame.launch->shared_bytes);
    finding.lane = lane;
    finding.address = address;
    if (checks_.uninitialised && in_shared) {
      std::vector<std::uint64_t>& written = written_[frame.shared];
      written.resize(frame.launch->shared_bytes);
      for (std::uint32_t i = 0; i < site.size && address - shared + i < written.size(); ++i) {
        std::uint64_t& who = written[address - shared + i];
        if (site.access != Access::write && who != block_ + 1) {
          finding.kind = Finding::Kind::uninitialised;
          return finding;
        }
        who = block_ + 1;
      }
    }
    if (!checks_.races) continue;
    const Now now{static_cast<std::uint32_t>(block_),
                  call.warp * lanes_per_warp + lane,
                  call.warp,
                  site_index,
                  site.synchronises ? Access::atomic : site.access,
                  in_shared};
    const std::uint32_t component = site.components ? site.size / site.components : site.size;
    for (std::uint32_t at = 0; at < site.size;) {
      Page* page = page_of((address + at) / page_bytes, site.size);
      if (!page) {
        finding.kind = Finding::Kind::too_much;
        return finding;
      }
      std::optional<std::uint32_t> value;
      if (stores_values && component > 0) {
        const std::uint64_t bits = call.arguments[1 + at / component][lane] >> (8 * (at % component));
        value = static_cast<std::uint32_t>(page->word_bytes == 1 ? bits & 0xff : bits);
      }
      if (!touch(state, page->words[(address + at) % page_bytes / page->word_bytes], now, value, finding))
        return finding;
      at += page->word_bytes;
    }
    if (now.kind == Access::atomic && !in_shared) current_->acquired = true;
  }
  return std::nullopt;
}

std::optional<AccessRecorder::Finding> AccessRecorder::arrive(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  std::uint32_t lane = 0;
  while (lane < lanes_per_warp - 1 && !(call.mask >> lane & 1)) ++lane;
  if (!state.waits_at) {
    state.waits_at = call.site;
    state.waits_thread = call.warp * lanes_per_warp + lane;
  }
  if (*state.waits_at == call.site) return std::nullopt;
  Finding finding;
  finding.kind = Finding::Kind::barrier;
  finding.lane = lane;
  finding.other_site = *state.waits_at;
  finding.other_thread = state.waits_thread;
  finding.other_block = block_;
  return finding;
}

void AccessRecorder::suspended(const BlockFrame& frame, const LaneCall& call) {
  if (call.mask) ++state_of(frame).warp_phase[call.warp];
}

void AccessRecorder::warp_synchronised(const BlockFrame& frame, const LaneCall& call) {
  running(frame, call.warp).warp_time[call.warp] = ++time_;
}

void AccessRecorder::fence(const BlockFrame& frame) { state_of(frame).released = ++time_; }

}  // namespace xcuda::device::cpu
