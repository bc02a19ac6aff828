// Who waits for whom in a set, and the wait for all of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

#include "device/device_set.hpp"

namespace xcuda::device {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostHolds = 256;  // that may be over, before somebody looks
// How long a ring may stay full before somebody looks whether a device has failed.
constexpr std::chrono::milliseconds kLongFull{10};

void append_all(auto& to, auto from) { to.insert(to.end(), from.begin(), from.end()); }

void join_recoveries(std::optional<Recovery>& all, const std::optional<Recovery>& one) {
  if (!one) return;
  if (!all) all.emplace();
  all->duration += one->duration;
  all->window_kept = all->window_kept && one->window_kept;
  all->arrays_kept = all->arrays_kept && one->arrays_kept;
  append_all(all->modules_lost, one->modules_lost);
}

bool is_over(const WaitRequest& request) {
  return (request.interrupt != nullptr && request.interrupt->raised()) ||
         (request.deadline && Clock::now() >= *request.deadline);
}

}  // namespace

// --- One device after another ---------------------------------------------------------------------------------------

bool DeviceSet::order_by_words() {
  if (order_ != Order::unknown || members_.size() == 1) return order_ == Order::by_words;
  order_ = Order::by_session;
  const auto file = SharedWords::make_file();
  words_ = SharedWords(file);
  if (std::all_of(members_.begin(), members_.end(), [&](const auto& member) { return member->share_words(file); }))
    order_ = Order::by_words;
  return order_ == Order::by_words;
}

bool DeviceSet::has_to_wait(const Precedence& one) const {
  return one.device != one.after && one.device < members_.size() && one.after < members_.size() &&
         work_[one.after].busy && !told_later_.fault;
}

// All say how far they have come before the first one waits, so that nobody waits for another's wait.
void DeviceSet::post_order(std::span<const Precedence> order) {
  // A capture takes nothing that is not of its streams.
  const bool by_words = !capturing_ && order_by_words();
  for (const auto& one : order) {
    if (!has_to_wait(one)) continue;
    if (by_words) {
      post_value(one.after);
    } else {
      end_holds();
      if (members_[one.after]->lives()) wait_for(one.after, limits());
    }
  }
  if (!by_words) return;
  for (const auto& one : order)
    if (has_to_wait(one)) wait_for_value(one);
}

void DeviceSet::post_value(std::uint32_t device) {
  auto& work = work_[device];
  if (!std::exchange(work.since_value, false)) return;
  with_room(device).post_write_value(device, ++work.value);
}

void DeviceSet::wait_for_value(const Precedence& one) {
  auto& work = work_[one.device];
  const auto value = work_[one.after].value;
  if (work.seen[one.after] == value) return;
  with_room(one.device).post_wait_value(one.after, value);
  work.seen[one.after] = value;
  work.busy = work.since_value = true;  // who waits for it waits for that
  if (holds_.size() - first_hold_ >= kMostHolds) is_held();
  holds_.push_back({one.after, value});
}

bool DeviceSet::is_held() {
  while (first_hold_ < holds_.size() && words_.reached(holds_[first_hold_].after, holds_[first_hold_].value))
    ++first_hold_;
  if (first_hold_ == holds_.size()) {
    holds_.clear();
    first_hold_ = 0;
  } else if (first_hold_ >= kMostHolds) {
    holds_.erase(holds_.begin(), holds_.begin() + static_cast<std::ptrdiff_t>(std::exchange(first_hold_, 0)));
  }
  return !holds_.empty();
}

// A device that is held takes no more when its ring is full, and would hold up the session, which has to look after the
// others.
void DeviceSet::make_room(std::uint32_t device) {
  if (members_[device]->has_room()) return;
  const auto request = limits();
  const auto until = Clock::now() + kLongFull;
  bool asked = false;
  const bool there = wait_until(request, [&] {
    if (!asked && Clock::now() >= until) {
      asked = true;
      for (std::uint32_t other = 0; other < members_.size(); ++other)
        if (other != device) members_[other]->begin_synchronize();
    }
    if (asked && is_held() && holds_[first_hold_].after != device) end_hold();
    return members_[device]->has_room() || told_later_.fault;
  });
  if (!there) finish(request);
}

// The fault that is found meanwhile is told by take_fault(), as one that the call itself finds.
void DeviceSet::settle() {
  if (holds_.empty() || !is_held()) return;
  end_holds();
  if (!told_later_.fault) return;
  found_by_call_ = true;
  const auto kind = told_later_.fault->kind;
  const bool interrupted = kind == FaultKind::interrupted || kind == FaultKind::time_limit;
  throw Error(interrupted ? ErrorKind::interrupted : ErrorKind::device,
              fmt::format("device {} failed: {}", told_later_.fault->device, fault_name(kind)))
      .said(told_later_.fault->library);
}

void DeviceSet::end_holds() {
  if (holds_.empty() || !is_held()) return;
  const auto request = limits();
  begin_all();
  const bool over = wait_until(request, [&] {
    if (is_held()) end_hold();
    return !is_held();
  });
  if (!over || told_later_.fault) finish(request);
}

// A device that has done all and has not written a value was replaced before it came to that.
void DeviceSet::end_hold() {
  const auto after = holds_[first_hold_].after;
  if (members_[after]->is_done()) let_go(after);
}

// --- What becomes of it ---------------------------------------------------------------------------------------------

// False when an interrupt or a deadline comes first. A device that is lost meanwhile is waited for, so that others go
// on.
template <class Done> bool DeviceSet::wait_until(const WaitRequest& request, const Done& done) {
  const auto begin = Clock::now();
  while (!done()) {
    const auto passed = Clock::now() - begin;
    if (passed < spin_) continue;
    if (is_over(request)) return false;
    std::string doing;
    for (std::uint32_t device = 0; device < members_.size(); ++device) {
      auto look = members_[device]->look();
      if (look.gone) wait_for(device, request);
      if (doing.empty()) doing = std::move(look.doing);
    }
    if (request.tell) request.tell(doing);
    if (done()) return true;
    using std::chrono::microseconds;  // an end is heard of 20 µs late, or half a percent
    std::this_thread::sleep_for(
        std::clamp(std::chrono::duration_cast<microseconds>(passed / 256), microseconds{20}, microseconds{2000}));
  }
  return true;
}

void DeviceSet::add(std::uint32_t device, Completion completion) {
  auto& all = told_later_;
  append_all(all.timings, completion.timings);
  append_all(all.reports, completion.reports);
  append_all(all.refused, completion.refused);
  append_all(all.skipped, completion.skipped);
  if (completion.fault && !all.fault) {
    all.fault = std::move(completion.fault);
    all.fault->device = device;
  }
  join_recoveries(all.recovery, completion.recovery);
}

void DeviceSet::wait_for(std::uint32_t device, const WaitRequest& request) {
  work_[device].busy = false;
  add(device, members_[device]->synchronize(request));
  let_go(device);
}

void DeviceSet::let_go(std::uint32_t device) {
  if (words_ && words_.value(device) != work_[device].value) words_.lose(device, work_[device].value);
}

void DeviceSet::let_all_go() {
  for (std::uint32_t device = 0; device < members_.size(); ++device) let_go(device);
}

void DeviceSet::begin_all() {
  for (const auto& member : members_) member->begin_synchronize();
}

bool DeviceSet::all_done() {
  bool all = true;
  for (const auto& member : members_) all = member->is_done() && all;
  return all;
}

// Which of these devices to wait for next. Of the values that have not been written, the one that was posted first
// belongs to a device that waits for nothing: it works, or it has failed.
std::uint32_t DeviceSet::next_of(std::uint64_t devices) {
  const auto bit = [](std::uint32_t device) { return std::uint64_t{1} << device; };
  if (is_held() && (devices & bit(holds_[first_hold_].after)) != 0) return holds_[first_hold_].after;
  for (auto rest = devices; rest != 0; rest &= rest - 1)
    if (const auto device = static_cast<std::uint32_t>(std::countr_zero(rest)); !members_[device]->is_done())
      return device;
  return static_cast<std::uint32_t>(std::countr_zero(devices));
}

// What one device tells is kept while the next is waited for, which may end by an error.
void DeviceSet::finish(const WaitRequest& given) {
  auto request = given;  // a deadline that was over before still leaves each time to say that it is done
  if (request.deadline && *request.deadline <= Clock::now()) request.deadline = Clock::now() + request.grace;
  if (request.fetch)
    wait_for(0, request);  // only there does it answer for pieces of mirrors, which are the first one's
  begin_all();
  const bool in_time = wait_until(request, [&] {
    if (is_held()) end_hold();
    return all_done();
  });
  auto limits = request;
  auto devices = ~std::uint64_t{0} >> (64 - members_.size());
  while (devices != 0) {
    const auto device = next_of(devices);
    wait_for(device, limits);
    devices &= ~(std::uint64_t{1} << device);
    // The others may only have waited for the one that took too long.
    if (!in_time && limits.deadline) limits.deadline = Clock::now() + request.grace;
  }
  holds_.clear();
  first_hold_ = 0;
  if (words_) words_.forget_losses(this->devices());
}

Completion DeviceSet::synchronize(const WaitRequest& request) {
  finish(request);
  auto all = std::exchange(told_later_, {});
  std::stable_sort(all.timings.begin(), all.timings.end(),
                   [](const LaunchTiming& a, const LaunchTiming& b) { return a.number < b.number; });
  std::sort(all.skipped.begin(), all.skipped.end());
  return all;
}

std::optional<Completion> DeviceSet::take_fault() {
  bool any = std::exchange(found_by_call_, false);
  for (std::uint32_t device = 0; device < members_.size(); ++device)
    if (auto kept = members_[device]->take_fault()) {
      any = true;
      std::fill(work_[device].seen.begin(), work_[device].seen.end(), 0);  // its waits were lost with its process
      add(device, std::move(*kept));
      let_go(device);
    }
  if (any && !holds_.empty()) {  // nothing of this is left for later work
    auto request = limits();
    if (request.deadline) request.deadline = std::max(*request.deadline, Clock::now() + request.grace);
    finish(request);
  }
  return any ? std::optional(std::exchange(told_later_, {})) : std::nullopt;
}

void DeviceSet::rouse() {
  for (const auto& member : members_) member->rouse();
}

bool DeviceSet::lives() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member->lives(); });
}

bool DeviceSet::idles() {
  return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member->idles(); });
}

void DeviceSet::begin_rest() {
  if (words_) let_all_go();
  for (const auto& member : members_) member->begin_rest();
}

Recovery DeviceSet::restart() {
  begin_rest();
  std::optional<Recovery> all;
  for (const auto& member : members_) join_recoveries(all, member->restart());
  told_later_ = {};
  holds_.clear();
  first_hold_ = 0;
  for (auto& work : work_) work.busy = work.since_value = false;
  if (words_) words_.forget_losses(this->devices());
  return *all;
}

void DeviceSet::rest() {
  begin_rest();
  for (const auto& member : members_) member->rest();
}

}  // namespace xcuda::device
