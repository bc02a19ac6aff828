#include "runtime/memory/managed_advice.hpp"

#include <algorithm>

namespace xcuda::runtime {

void ManagedAdvice::split(Address at) {
  const auto after = parts_.upper_bound(at);
  if (after == parts_.begin()) return;
  auto& [begin, part] = *std::prev(after);
  if (begin == at || part.end <= at) return;
  parts_.emplace(at, part);
  part.end = at;
}

void ManagedAdvice::change(Address begin, Address end, const std::function<void(Advice&)>& change) {
  split(begin);
  split(end);
  for (Address at = begin; at < end;) {
    auto found = parts_.lower_bound(at);
    if (found == parts_.end() || found->first > at) {
      const Address gap_end = found == parts_.end() ? end : std::min(end, found->first);
      found = parts_.emplace(at, Part{gap_end, {}}).first;
    }
    change(found->second.advice);
    at = found->second.end;
  }
}

void ManagedAdvice::forget(Address begin, Address end) {
  split(begin);
  split(end);
  parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
}

std::vector<Advice> ManagedAdvice::within(Address begin, Address end) const {
  std::vector<Advice> found;
  auto part = parts_.upper_bound(begin);
  if (part != parts_.begin() && std::prev(part)->second.end > begin) --part;
  Address at = begin;
  for (; part != parts_.end() && part->first < end; ++part) {
    if (part->first > at) found.emplace_back();
    found.push_back(part->second.advice);
    at = part->second.end;
  }
  if (at < end) found.emplace_back();
  return found;
}

}  // namespace xcuda::runtime
