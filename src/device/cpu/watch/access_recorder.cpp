#include "device/cpu/watch/access_recorder.hpp"

#include <algorithm>
#include <cstring>

namespace xcuda::device::cpu {

using ptx::Modifier;
using ptx::Trait;

namespace {

bool within(std::uint64_t address, std::uint64_t begin, std::uint64_t size) { return address - begin < size; }

std::uint32_t component_bytes(const AccessSite& site) {
  return site.components ? site.size / site.components : site.size;
}

// What it writes to a surface in all.
std::uint32_t surface_bytes(const ptx::Operation& operation) {
  return static_cast<std::uint32_t>(ptx::bytes_of(operation.type())) * operation.vector;
}

}  // namespace

AccessRecorder::AccessRecorder(const RecorderParts& parts)
    : code_(parts.code),
      checks_(parts.checks),
      space_(parts.space),
      shadows_(parts.shadows),
      time_(0),
      launch_time_(0) {
  for (const AccessSite& site : code_.sites) {
    if (site.access == Access::read || site.space == AccessSite::Space::shared ||
        site.space == AccessSite::Space::local)
      continue;
    const bool matrix = site.operation.has(Modifier::store) && site.operation.space != ptx::Space::shared;
    if (site.access == Access::unknown && !matrix) continue;
    if (site.slot >= 0)
      written_ranges_.insert(parts.bounds[static_cast<std::size_t>(site.slot)].begin);
    else
      writes_anywhere_ = true;
  }
  for (const AccessSite& site : code_.sites)  // a surface's handle may be of any array
    writes_anywhere_ |= site.operation.is(Trait::writes_surface);
  for (const AddressRange& range : parts.bounds) {
    const bool races = checks_.races && (writes_anywhere_ || written_ranges_.contains(range.begin));
    watched_.push_back(races || (checks_.uninitialised && space_.written.find(range.begin) != nullptr));
  }
  // Words are as small as the touches that are reported, usually four bytes.
  for (const AccessSite& site : code_.sites) {
    const std::uint32_t bytes =
        site.operation.is(Trait::writes_surface) ? surface_bytes(site.operation) : component_bytes(site);
    const bool told = site.slot < 0 || watched_[static_cast<std::size_t>(site.slot)];
    if (told && (bytes == 1 || bytes == 2)) unit_shift_ = std::min(unit_shift_, bytes - 1);
  }
  exchanges_ = std::any_of(code_.sites.begin(), code_.sites.end(),
                           [](const AccessSite& site) { return site.operation.releases(); });
  time_ = launch_time_ = shadows_.begin(parts.most, unit_shift_);
  view_.launch = Mark::at(launch_time_);
  mark_arrays(parts);
}

// Arrays whose words generated code may mark by itself: all of their shadow is there.
void AccessRecorder::mark_arrays(const RecorderParts& parts) {
  marked_.resize(parts.bounds.size());
  if (!checks_.races || unit_shift_ != 2) return;
  std::set<Address> read;  // that the launch may read from
  bool reads_anywhere = false;
  for (const AccessSite& site : code_.sites) {
    const bool global = site.space == AccessSite::Space::global || site.space == AccessSite::Space::generic;
    const bool more = site.operation.is(Trait::fetches) || site.operation.has(Modifier::load);
    if (site.slot >= 0 && site.access != Access::write)
      read.insert(parts.bounds[static_cast<std::size_t>(site.slot)].begin);
    else if (site.slot < 0 && site.access != Access::write && (global || more))
      reads_anywhere = true;
  }
  for (std::size_t i = 0; i < parts.bounds.size(); ++i) {
    const AddressRange& range = parts.bounds[i];
    // The launch was given a pointer into it, which may be after its beginning.
    const std::optional<AddressRange> whole = watched_[i] && range.size > 0 ? space_.find(range.begin) : std::nullopt;
    Shadow* shadow = whole ? shadows_.of(*whole) : nullptr;
    if (!shadow || shadow->begin % 4 != 0 || !shadows_.touch_all(*shadow)) continue;
    const std::uint64_t origin = 2 * shadow->begin;
    marked_[i].writes = reinterpret_cast<std::uint64_t>(shadow->writes) - origin;
    if (reads_anywhere || read.contains(range.begin))
      marked_[i].reads = reinterpret_cast<std::uint64_t>(shadow->reads) - origin;
  }
}

AccessView* AccessRecorder::view_of(const BlockFrame& frame) {
  const AddressRange shared{reinterpret_cast<std::uint64_t>(frame.shared), frame.launch->shared_bytes};
  if (unit_shift_ != 2 || shared.size == 0) return &view_;
  Shadow* shadow = checks_.races ? shadows_.of(shared) : nullptr;
  if (shadow && shadows_.touch_all(*shadow)) {
    view_.shared_writes = reinterpret_cast<std::uint64_t>(shadow->writes);
    view_.shared_reads = reinterpret_cast<std::uint64_t>(shadow->reads);
  }
  if (checks_.uninitialised) view_.stamps = reinterpret_cast<std::uint64_t>(stamps_of(frame).data());
  return &view_;
}

std::vector<std::uint32_t>& AccessRecorder::stamps_of(const BlockFrame& frame) {
  std::vector<std::uint32_t>& stamps = stamps_[frame.shared];
  stamps.resize((frame.launch->shared_bytes >> unit_shift_) + 1);
  return stamps;
}

// --- One word ------------------------------------------------------------------------------------------------------

AccessRecorder::Answer AccessRecorder::conflict(const BlockState& state, Mark mark, Access access,
                                                const Now& now) const {
  if (mark.time() < launch_time_ || ordered(state, mark, now)) return std::nullopt;
  Finding finding;
  finding.access = now.kind;
  finding.other_site = mark.site();
  finding.other_thread = mark.thread();
  finding.copying = mark.time() == Mark::kPending;
  finding.other_block = finding.copying ? state.block : block_at(mark.time());
  finding.other_block_differs = finding.other_block != state.block;
  finding.several = mark.thread() == now.thread && !finding.other_block_differs && !finding.copying;
  finding.other_access = access;
  return finding;
}

// Whether a store writes to one word what another thread wrote there: a lane of the same store, which has not happened
// yet, or an earlier one, whose value is in memory.
bool AccessRecorder::writes_the_same(Mark write, const Now& now, const Touch& touch, const Lanes* stored, Address word,
                                     std::uint32_t unit) const {
  const AccessSite& site = code_.sites[now.site];
  const std::uint32_t component = component_bytes(site);
  const std::uint64_t at = word - touch.address;
  if (!stored || write.atomic() || write.time() == Mark::kPending || component < unit || at >= site.size) return false;
  const auto value = [&](std::uint32_t lane) {
    return reinterpret_cast<const std::byte*>(&stored->call.arguments[1 + at / component][lane]) + at % component;
  };
  const std::uint32_t other = write.thread() % kLanesPerWarp;
  const bool together = write.thread() / kLanesPerWarp == now.warp && write.site() == now.site &&
                        (stored->call.mask >> other & 1) && stored->address(other) == touch.address;
  return std::memcmp(value(touch.lane), together ? value(other) : reinterpret_cast<const std::byte*>(word), unit) == 0;
}

// Marks the words of one lane's access, unless it conflicts. stored: the values, where it stores some.
AccessRecorder::Answer AccessRecorder::marked(BlockState& state, const Place& place, const Now& now, const Touch& touch,
                                              const Lanes* stored) {
  Shadow& shadow = *place.shadow;
  const std::uint32_t unit = 1u << shadow.unit_shift;
  const std::uint64_t first = (touch.address - shadow.begin) >> shadow.unit_shift,
                      last = (touch.address - shadow.begin + std::max<std::uint64_t>(touch.bytes, 1) - 1) >>
                             shadow.unit_shift;
  const auto found = [&](Finding finding, std::uint64_t word) {
    finding.lane = touch.lane;
    finding.address = std::max(touch.address, shadow.begin + word * unit);
    return finding;
  };
  if (last >= shadow.words() || !shadows_.touch(shadow, first, last)) {
    Finding finding;
    finding.kind = Finding::Kind::too_much;
    return found(finding, first);
  }
  const Mark mark(time_, now.thread, now.site);
  for (std::uint64_t word = first; word <= last; ++word) {
    const Mark write(shadow.writes[word]), read(shadow.reads[word]);
    const bool both_atomic = write.atomic() && now.kind == Access::atomic && write.time() != Mark::kPending &&
                             meet_as_atomics(state, write, now);
    if (!both_atomic)
      if (const Answer other = conflict(state, write, write.atomic() ? Access::atomic : Access::write, now)) {
        if (!writes_the_same(write, now, touch, stored, shadow.begin + word * unit, unit)) return found(*other, word);
      }
    const Address at = shadow.begin + word * unit;
    if (now.kind == Access::read) {
      shadow.reads[word] = (code_.yields ? add_reader(state, read, now, at) : mark_reader(state, read, now)).bits();
      continue;
    }
    if (code_.yields && read.time() >= launch_time_ && read.readers() != Mark::Readers::thread) {
      if (const Answer other = unordered_reader(state, now, at)) return found(*other, word);
      readers_.erase(at);  // a later write that is ordered after this one is ordered after them, too
      shadow.reads[word] = 0;
    } else if (const Answer other = conflict(state, read, Access::read, now)) {
      return found(*other, word);
    }
    // What this thread wrote before its atomic is not ordered for the others by that.
    if (now.kind == Access::atomic && !write.atomic() && write.thread() == now.thread &&
        write.time() >= state.order.phase() && is_own(state, write.time()))
      continue;
    shadow.writes[word] = (now.kind == Access::atomic ? mark.as_atomic() : mark).bits();
  }
  return std::nullopt;
}

// --- Accesses ------------------------------------------------------------------------------------------------------

AccessRecorder::Place AccessRecorder::place_of(const BlockFrame& frame, Address address, const AccessSite& site) {
  const auto shared = reinterpret_cast<std::uint64_t>(frame.shared);
  if (within(address, shared, frame.launch->shared_bytes)) {
    Place place{.begin = shared, .size = frame.launch->shared_bytes, .shared = true};
    if (checks_.races) place.shadow = shadows_.of({place.begin, place.size});
    if (checks_.uninitialised) {
      place.stamps = &stamps_of(frame);
    }
    return place;
  }
  const AddressRange locals{reinterpret_cast<std::uint64_t>(frame.locals),
                            std::uint64_t{frame.launch->warps} * kLanesPerWarp * code_.local_bytes};
  const AddressRange stack{frame.stack_limit, frame.stack_end - frame.stack_limit};
  if (site.space != AccessSite::Space::global)
    for (const AddressRange& own : {locals, stack})
      if (within(address, own.begin, own.size)) return {.begin = own.begin, .size = own.size, .own = true};
  const std::optional<AddressRange> range = space_.find(address);
  if (!range) return {.own = true};  // the bounds check tells, or nobody asked for it
  Place place{.begin = range->begin,
              .size = range->size,
              .constant = !writes_anywhere_ && !written_ranges_.contains(range->begin)};
  if (checks_.races) place.shadow = shadows_.of(*range);
  if (checks_.uninitialised && !space_.written.empty()) place.unwritten = space_.written.find(address);
  return place;
}

AccessRecorder::Place& AccessRecorder::place_at(const BlockFrame& frame, Address address, std::uint32_t site) {
  Place& place = last_[site % last_.size()];
  if (!place.contains(address)) place = place_of(frame, address, code_.sites[site]);
  return place;
}

// --init for lanes whose accesses lie side by side.
bool AccessRecorder::stamp_group(const Place& place, Access kind, Address begin, std::uint64_t bytes) const {
  if (place.unwritten) {
    if (kind == Access::write) WrittenBytes::write(*place.unwritten, begin, bytes);
    return kind == Access::write || place.unwritten->written(begin, bytes);
  }
  if (!place.stamps) return true;
  const std::uint64_t first = (begin - place.begin) >> unit_shift_, count = bytes >> unit_shift_;
  if (first + count > place.stamps->size()) return false;
  std::uint32_t *const stamps = place.stamps->data() + first, least = current_->begun;
  if (kind == Access::write) {
    std::fill_n(stamps, count, least);
    return true;
  }
  bool all = true;
  for (std::uint64_t i = 0; i < count; ++i) all &= stamps[i] >= least;
  return all;
}

// Whether lanes [first, first + count), which have one base, could be marked together.
bool AccessRecorder::mark_group(const BlockFrame& frame, const Lanes& lanes, std::uint32_t first, std::uint32_t count) {
  const LaneCall& call = lanes.call;
  const auto group = static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
  const AccessSite& site = code_.sites[call.site];
  if ((call.mask & group) != group || code_.yields || site.synchronises || site.access == Access::atomic) return false;
  const std::uint64_t begin = lanes.address(first), unit_mask = (std::uint64_t{1} << unit_shift_) - 1;
  const std::int64_t stride = lanes.accesses.stride;
  const bool common = stride == 0 && site.access == Access::read;
  if ((!common && stride != static_cast<std::int64_t>(site.size)) || ((begin | site.size) & unit_mask) != 0)
    return false;
  Place& place = place_at(frame, begin, call.site);
  if (place.own) return true;
  const std::uint64_t bytes = common ? site.size : std::uint64_t{site.size} * count;
  if (bytes > place.size || begin - place.begin > place.size - bytes) return false;
  if (checks_.uninitialised && !stamp_group(place, site.access, begin, bytes)) return false;
  if (!checks_.races || place.constant) return true;
  if (!place.shadow) return false;
  Shadow& shadow = *place.shadow;
  const std::uint64_t word = (begin - shadow.begin) >> unit_shift_;
  const std::uint32_t words = site.size >> unit_shift_;  // of a lane
  if (!shadows_.touch(shadow, word, word + (bytes >> unit_shift_) - 1)) return false;
  const Order order = order_of(*current_, call.warp, place.shared ? current_->begun : launch_time_);
  const Mark mark(time_, call.warp * kLanesPerWarp + first, call.site);
  if (common) {
    bool all = true;
    for (std::uint32_t i = 0; i < words && all; ++i)
      all = mark_common_read(shadow.writes[word + i], shadow.reads[word + i], mark, order);
    return all;
  }
  if (words != 1 && words != 2 && words != 4) return false;
  const MarkRow row{shadow.writes + word, shadow.reads + word, mark.bits(), count * words, words / 2};
  return site.access == Access::read ? mark_reads(row, order) : mark_writes(row, order);
}

// Marks a word that several lanes of the warp read.
bool AccessRecorder::mark_common_read(std::uint64_t written, std::uint64_t& read, Mark mark, const Order& order) {
  using Readers = Mark::Readers;
  if (written >= order.launch && written - order.block >= order.phase - order.block) return false;
  const Mark before(read);
  const bool known = read >= order.launch;
  if (known && before.readers() == Readers::grid) return true;
  if (known && read < order.block) {
    read = mark.with(Readers::grid).bits();
  } else {
    const bool others =
        read >= order.phase && ((before.bits() ^ mark.bits()) & Mark::kWarpMask || before.readers() == Readers::block);
    read = mark.with(others ? Readers::block : Readers::warp).bits();
  }
  return true;
}

bool AccessRecorder::mark(const MarkedRow& row, std::uint64_t* writes, std::uint64_t* reads, std::uint32_t warp) {
  const Order order = order_of(*current_, warp, row.what & MarkedRow::kShared ? current_->begun : launch_time_);
  const Mark mark(time_, warp * kLanesPerWarp + row.first, row.site);
  if (!(row.what & MarkedRow::kCommon)) {
    const MarkRow words{writes, reads ? reads : no_reads_.data(), mark.bits(), row.words, row.thread_shift};
    return row.what & MarkedRow::kWrites ? mark_writes(words, order) : mark_reads(words, order);
  }
  bool all = true;
  for (std::uint32_t i = 0; i < row.words && all; ++i) all = mark_common_read(writes[i], reads[i], mark, order);
  return all;
}

AccessRecorder::Answer AccessRecorder::access(const BlockFrame& frame, const LaneCall& call,
                                              const CheckedAccesses& accesses) {
  BlockState& state = running(frame, call.warp);
  const AccessSite& site = code_.sites[call.site];
  const Lanes lanes{call, accesses};
  const std::uint32_t width = 1u << accesses.piece_shift;
  const Access kind = site.synchronises ? Access::atomic : site.access;
  for (std::uint32_t first = 0; first < kLanesPerWarp; first += width) {
    const bool grouped = width >= 8 && mark_group(frame, lanes, first, width);
    for (std::uint32_t lane = first; lane < first + width && !grouped; ++lane) {
      if (!(call.mask >> lane & 1)) continue;
      const Touch touch{lane, lanes.address(lane), site.size, kind};
      if (Answer answer = touched(state, frame, call, touch,
                                  site.access == Access::write && site.components > 0 ? &lanes : nullptr))
        return answer;
    }
  }
  return std::nullopt;
}

AccessRecorder::Answer AccessRecorder::touched(BlockState& state, const BlockFrame& frame, const LaneCall& call,
                                               const Touch& touch, const Lanes* stored) {
  const Place& place = place_at(frame, touch.address, call.site);
  const AccessSite& site = code_.sites[call.site];
  // Also in the workspace of grid.sync(), which belongs to no array.
  const bool exchanges =
      exchanges_ && checks_.races && touch.kind == Access::atomic && !site.operation.is(Trait::arrivals);
  const Exchange exchange{call.warp * kLanesPerWarp + touch.lane, touch.address, site.operation, place.shared};
  if (exchanges) hear(frame, state, exchange);
  const Answer answer = examined(state, place, call, touch, stored);
  if (exchanges) tell(frame, state, exchange);
  return answer;
}

AccessRecorder::Answer AccessRecorder::examined(BlockState& state, const Place& place, const LaneCall& call,
                                                const Touch& touch, const Lanes* stored) {
  if (place.own) return std::nullopt;
  if (checks_.uninitialised) {
    // A volatile store orders as an atomic does, but reads nothing.
    Touch seen = touch;
    if (code_.sites[call.site].synchronises) seen.kind = code_.sites[call.site].access;
    if (Answer answer = initialised(place, seen)) return answer;
  }
  if (!checks_.races || place.constant) return std::nullopt;
  if (!place.shadow) {
    Finding finding{.kind = Finding::Kind::too_much};
    finding.lane = touch.lane;
    return finding;
  }
  const Now now{call.warp * kLanesPerWarp + touch.lane, call.warp, call.site, touch.kind, place.shared};
  return marked(state, place, now, touch, stored);
}

AccessRecorder::Answer AccessRecorder::touch(const BlockFrame& frame, const LaneCall& call, const Touch& touch) {
  return touched(running(frame, call.warp), frame, call, touch, nullptr);
}

// --init. Shared memory is its block's own: what an earlier block wrote there counts for nothing.
AccessRecorder::Answer AccessRecorder::initialised(const Place& place, const Touch& touch) {
  const auto missing = [&](Address address) {
    Finding finding{.kind = Finding::Kind::uninitialised};
    finding.lane = touch.lane;
    finding.address = address;
    finding.access = touch.kind;
    return finding;
  };
  if (place.unwritten) {
    if (touch.kind != Access::write && !place.unwritten->written(touch.address, touch.bytes))
      return missing(touch.address);
    if (touch.kind != Access::read) WrittenBytes::write(*place.unwritten, touch.address, touch.bytes);
  } else if (place.stamps) {
    const std::uint64_t begin = touch.address - place.begin,
                        last = std::min(begin + std::max<std::uint64_t>(touch.bytes, 1), place.size) - 1;
    for (std::uint64_t i = begin >> unit_shift_; i <= last >> unit_shift_; ++i) {
      std::uint32_t& stamp = (*place.stamps)[i];
      if (touch.kind != Access::write && stamp < current_->begun)
        return missing(std::max(touch.address, place.begin + (i << unit_shift_)));
      stamp = current_->begun;
    }
  }
  return std::nullopt;
}

void AccessRecorder::forget(const AddressRange& range) {
  last_ = {};
  Shadow* shadow = checks_.races ? shadows_.of(range) : nullptr;
  if (shadow) std::fill_n(shadow->writes, 2 * shadow->words(), 0);
}

}  // namespace xcuda::device::cpu
