#include "device/cpu/watch/thread_clock.hpp"

#include <algorithm>
#include <unordered_set>

namespace xcuda::device::cpu {

bool ThreadClock::holds(Threads threads, std::uint32_t time) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), threads,
                                      [](const Entry& entry, Threads wanted) { return entry.threads < wanted; });
  return found != entries_.end() && found->threads == threads && found->until > time;
}

bool ThreadClock::finds(std::span<const Threads> any, std::uint32_t time) const {
  const auto here = [&](const ThreadClock& clock) {
    return std::any_of(any.begin(), any.end(), [&](Threads threads) { return clock.holds(threads, time); });
  };
  if (here(*this)) return true;
  if (heard_.empty()) return false;
  std::unordered_set<const ThreadClock*> seen{this};
  std::vector<const ThreadClock*> open{this};
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const Heard& heard : open[i]->heard_) {
      if (heard.until <= time || !seen.insert(heard.told).second) continue;
      if (here(*heard.told)) return true;
      open.push_back(heard.told);
    }
  return false;
}

bool ThreadClock::knows(std::uint64_t block, std::uint32_t thread, std::uint32_t time) const {
  const Threads any[] = {ThreadClock::thread(block, thread), warp(block, thread / 32), all(block)};
  return finds(any, time);
}

bool ThreadClock::knows_atomic(std::uint64_t block, std::uint32_t thread, std::uint32_t time) const {
  const Threads any[] = {atomics(block, thread)};
  return finds(any, time);
}

void ThreadClock::add(Threads threads, std::uint32_t until, std::uint32_t now) {
  if (!entries_.empty() && entries_.back().threads < threads) {  // blocks mostly come in order
    entries_.push_back({threads, until});
    changed_ = now;
    return;
  }
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), threads,
                                      [](const Entry& entry, Threads wanted) { return entry.threads < wanted; });
  if (found == entries_.end() || found->threads != threads)
    entries_.insert(found, {threads, until});
  else if (found->until < until)
    found->until = until;
  else
    return;
  changed_ = now;
}

void ThreadClock::refer(const Heard& heard, std::uint32_t now) {
  if (heard.told == this) return;
  const auto found =
      std::find_if(heard_.begin(), heard_.end(), [&](const Heard& each) { return each.told == heard.told; });
  if (found == heard_.end())
    heard_.push_back(heard);
  else if (found->until < heard.until)
    found->until = heard.until;
  else
    return;
  changed_ = now;
}

void ThreadClock::add(const ThreadClock& other, std::uint32_t now) {
  if (&other == this) return;
  for (const Heard& heard : other.heard_) refer(heard, now);
  if (other.entries_.size() < 8 || entries_.empty() || entries_.back().threads < other.entries_.front().threads) {
    for (const Entry& entry : other.entries_) add(entry.threads, entry.until, now);
    return;
  }
  std::vector<Entry> all;
  all.reserve(entries_.size() + other.entries_.size());
  std::merge(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(), std::back_inserter(all),
             [](const Entry& a, const Entry& b) { return a.threads < b.threads; });
  std::size_t kept = 0;
  for (const Entry& entry : all)
    if (kept > 0 && all[kept - 1].threads == entry.threads)
      all[kept - 1].until = std::max(all[kept - 1].until, entry.until);
    else
      all[kept++] = entry;
  all.resize(kept);
  entries_ = std::move(all);
  changed_ = now;
}

void ThreadClock::hear(const ThreadClock& told, std::uint32_t now) {
  if (!told.is_long() || told.kept_ == Kept::briefly) return add(told, now);
  refer({&told, now}, now);
  for (const Heard& heard : told.heard_) refer(heard, now);
}

void ThreadClock::clear() {
  entries_.clear();
  heard_.clear();
  changed_ = 0;
}

}  // namespace xcuda::device::cpu
