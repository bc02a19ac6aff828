#include "device/cpu/watch/access_counter.hpp"

#include <algorithm>
#include <bit>

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kWordBits = 64;

void mark(std::vector<std::uint64_t>& bits, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t last = first + count - 1, begin = first / kWordBits, end = last / kWordBits;
  const std::uint64_t head = ~std::uint64_t{0} << first % kWordBits,
                      tail = ~std::uint64_t{0} >> (kWordBits - 1 - last % kWordBits);
  if (begin == end) {
    bits[begin] |= head & tail;
    return;
  }
  bits[begin] |= head;
  for (auto word = begin + 1; word < end; ++word) bits[word] = ~std::uint64_t{0};
  bits[end] |= tail;
}

std::uint64_t marked_in(const std::vector<std::uint64_t>& bits) {
  std::uint64_t sum = 0;
  for (const auto word : bits) sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

}  // namespace

AccessCounter::AccessCounter(const KernelCode& code, AddressSpace& space, std::uint64_t most)
    : code_(code), space_(space), left_(most), watched_(code.bounds.size() + 1, 1), marked_(code.bounds.size() + 1) {}

// An empty place is everywhere: what is not memory of the session.
AccessCounter::Place AccessCounter::place_of(const BlockFrame& frame, Address address) {
  const AddressRange shared{reinterpret_cast<Address>(frame.shared), frame.launch->shared_bytes};
  if (address - shared.begin < shared.size) return {.begin = shared.begin, .size = shared.size};
  const auto range = space_.find(address);
  if (!range) return {};
  const auto [found, added] = arrays_.try_emplace(range->begin);
  auto& counted = found->second;
  if (added) {
    const auto words = (range->size + kWordBits - 1) / kWordBits, taken = 2 * words * sizeof(std::uint64_t);
    if (taken > left_) {
      complete_ = false;
    } else {
      left_ -= taken;
      counted.size = range->size;
      counted.read.resize(words);
      counted.written.resize(words);
    }
  }
  if (counted.size == 0) return {.begin = range->begin, .size = range->size};
  return {.begin = range->begin, .size = counted.size, .read = &counted.read, .written = &counted.written};
}

const AccessCounter::Place& AccessCounter::place_at(const BlockFrame& frame, std::uint32_t site, Address address) {
  Place& place = last_[site % last_.size()];
  if (address - place.begin >= place.size) place = place_of(frame, address);
  return place;
}

void AccessCounter::touch(const BlockFrame& frame, std::uint32_t site, const Touch& touch) {
  const Place& place = place_at(frame, site, touch.address);
  if (place.read == nullptr || touch.bytes == 0) return;
  const auto first = touch.address - place.begin;
  const auto count = std::min(touch.bytes, place.size - first);
  if (touch.kind != Access::write) mark(*place.read, first, count);
  if (touch.kind != Access::read) mark(*place.written, first, count);
}

void AccessCounter::access(const BlockFrame& frame, const LaneCall& call, const CheckedAccesses& accesses) {
  const AccessSite& site = code_.sites[call.site];
  if (site.space == AccessSite::Space::shared || site.space == AccessSite::Space::local) return;
  const auto address_of = [&](std::uint32_t lane) {
    return call.results[lane >> accesses.shift] +
           static_cast<std::uint64_t>(accesses.pattern[lane] + accesses.members[0].distance);
  };
  const std::uint32_t width = 1u << accesses.piece_shift;
  for (std::uint32_t first = 0; first < kLanesPerWarp; first += width) {
    const auto lanes = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1) << first;
    const bool all = (call.mask & lanes) == lanes;
    if (all && (accesses.stride == 0 || accesses.stride == static_cast<std::int64_t>(site.size))) {
      touch(frame, call.site,
            {address_of(first), accesses.stride == 0 ? site.size : std::uint64_t{site.size} * width, site.access});
      continue;
    }
    for (std::uint32_t lane = first; lane < first + width; ++lane)
      if (call.mask >> lane & 1) touch(frame, call.site, {address_of(lane), site.size, site.access});
  }
}

void AccessCounter::copy(const BlockFrame& frame, const LaneCall& call) {
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1)
      touch(frame, call.site, {call.arguments[1][lane], code_.sites[call.site].size, Access::read});
}

std::uint64_t AccessCounter::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, counted] : arrays_) sum += marked_in(counted.read) + marked_in(counted.written);
  return sum;
}

}  // namespace xcuda::device::cpu
