#include "runtime/device_engine.hpp"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "device/cpu/cpu_device.hpp"
#include "runtime/errors.hpp"
#include "runtime/lent_device.hpp"

namespace xcuda::runtime {
namespace {

// Through the program's own buffers, so that what kernels and the host print keeps its order.
std::function<void(std::string_view)> writer(std::FILE* file) {
  return [file](std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); };
}

// What the session asks for with %%cuda --race --init: "race init". Bounds are always checked.
device::Checks wanted_checks() {
  const char* text = getenv("XCUDA_CPU_CHECKS");
  const std::string_view words = text == nullptr ? "" : text;
  device::Checks checks;
  checks.races = words.find("race") != words.npos;
  checks.uninitialised = words.find("init") != words.npos;
  return checks;
}

constexpr std::size_t kMostBeside = 128;    // launches; as many as a GPU runs at once
constexpr std::size_t kMostWaiting = 1024;  // items before a launch waits for room; as many as a GPU takes

thread_local bool runs_items = false;

}  // namespace

Engine::Engine()
    : lent_(lent_device() != nullptr),
      own_device_(lent_
                      ? nullptr
                      : device::cpu::make_cpu_device(
                            {}, {.pages = Reserve::as_used, .output = writer(stdout), .error_output = writer(stderr)})),
      device_(lent_ ? lent_device() : own_device_.get()),
      info_(device_->info()),
      device_beside_(lent_ ? nullptr : &device::cpu::beside(*own_device_)),
      checks_(wanted_checks()) {
  if (lent_) return;
  thread_ = std::thread([this] { run(); });
  beside_.emplace_back([this] { run_beside(); });
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    items_.clear();
  }
  interrupt_.raise();
  wake_.notify_one();
  told_.notify_all();
  wake_beside_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (std::thread& thread : beside_) thread.join();
}

bool Engine::is_own_thread() { return runs_items; }

bool Engine::ends() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

Engine::Number Engine::post(Item item) {
  std::vector<Item> items;
  items.push_back(std::move(item));
  return post(std::move(items));
}

Engine::Number Engine::post(std::vector<Item> items) {
  if (lent_) return run_now(std::move(items));
  Number number = 0;
  bool look = false;
  {
    const std::lock_guard lock(mutex_);
    const auto before = posted_;
    const auto first_after = items.front().after;
    for (Item& item : items) {
      item.number = ++posted_;
      item.after = item.follows.empty() ? first_after : std::vector<Number>();
      for (const auto place : item.follows) item.after.push_back(before + 1 + place);
      items_.push_back(std::move(item));
    }
    number = posted_;
    look = waits_since_.has_value();
  }
  wake_.notify_one();
  if (look) wake_beside_.notify_all();
  return number;
}

Engine::Number Engine::run_now(std::vector<Item> items) {
  const std::lock_guard lock(now_);
  const bool before = std::exchange(runs_items, true);
  for (Item& item : items) run_item(std::move(item));
  runs_items = before;
  return posted_;
}

void Engine::run_item(Item item) {
  posted_ += item.count;
  if (item.launch) {
    launch(*item.launch);
    launched_ = true;
    return;
  }
  if (!item.work && !item.more) return;
  if (std::exchange(launched_, false)) finish_launches(posted_);
  if (item.work) attempt(item.work);
  if (item.more) {
    std::vector<Item> more;
    attempt([&] { more = item.more(); });
    for (Item& one : more) run_item(std::move(one));
  }
}

// On a lent device this waits, so that the answer is always true.
bool Engine::done(Number number) {
  if (lent_) wait(number);
  if (lent_ || done_ >= number) return true;
  const std::lock_guard lock(mutex_);
  return is_done(number);
}

bool Engine::is_done(Number number) const { return done_ >= number || done_beside_.contains(number); }

void Engine::wait_for_room() {
  if (lent_) return;
  Lock lock(mutex_);
  told_.wait(lock, [&] { return posted_ - done_ - done_beside_.size() < kMostWaiting || stop_; });
}

void Engine::wait(Number number) {
  if (lent_) {
    const std::lock_guard lock(now_);
    if (std::exchange(launched_, false)) finish_launches(posted_);
    return;
  }
  Lock lock(mutex_);
  told_.wait(lock, [&] { return is_done(number) || stop_; });
}

void Engine::wait_for_all() {
  if (lent_) return wait(0);
  Lock lock(mutex_);
  const auto last = posted_;  // which may be done beside a launch, before the others
  told_.wait(lock, [&] { return done_ >= last || stop_; });
}

cudaError_t Engine::wait_for_failure() {
  if (lent_) {
    wait(0);
  } else {
    Lock lock(mutex_);
    const auto last = posted_;
    told_.wait(lock, [&] { return failure_ != cudaSuccess || done_ >= last || stop_; });
  }
  return failure_;
}

void Engine::launch(device::LaunchRequest& request) {
  request.number = ++launches_;
  request.checks = checks_;
  if (failure_ == cudaSuccess) device_->post_launch(request);
}

void Engine::run() {
  runs_items = true;
  Number taken = 0;
  bool launched = false;
  Lock lock(mutex_);
  while (true) {
    // Launches are posted one after another, and waited for together.
    if (launched && (items_.empty() || !items_.front().launch || items_.front().begun)) {
      lock.unlock();
      finish_launches(taken);
      launched = false;
      lock.lock();
      continue;
    }
    wake_.wait(lock, [&] { return stop_ || !items_.empty(); });
    if (stop_ || (items_.front().begun && !pass_begun(lock))) break;
    Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    if (item.launch && !item.begun) {
      launch(*item.launch);
      launched = true;
      taken += item.count;
      lock.lock();
      posted_launches_.push_back(std::move(item));
      continue;
    }
    if (item.more) {
      std::vector<Item> more;
      attempt([&] { more = item.more(); });
      more.push_back({.count = item.count});  // with the last of them it is done
      lock.lock();
      items_.insert(items_.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      continue;
    } else {
      if (item.work && !item.begun) attempt(item.work);
      taken += item.count;
      item = {};
      tell(taken);
    }
    lock.lock();
  }
  told_.notify_all();
  if (device_beside_) device_beside_->end();
  told_.wait(lock, [&] { return launches_beside_ == 0; });
  lock.unlock();
  own_device_.reset();
}

bool Engine::pass_begun(Lock& lock) {
  const auto number = items_.front().number;
  if (!is_done(number)) {
    waits_since_ = std::chrono::steady_clock::now();
    wake_beside_.notify_all();
  }
  wait_for_begun(lock, [&] { return is_done(number); });
  return !stop_;
}

// What follows is in order again.
void Engine::wait_for_begun(Lock& lock, const std::function<bool()>& done) {
  told_.wait(lock, [&] { return done() || stop_; });
  waits_since_.reset();
  told_.wait(lock, [&] { return !runs_beside_ || stop_; });
}

void Engine::tell(Number last) {
  const std::lock_guard lock(mutex_);
  done_ = last;
  done_beside_.erase(done_beside_.begin(), done_beside_.upper_bound(last));
  told_.notify_all();
}

void Engine::note_ended() {
  if (posted_launches_.empty()) return;
  const auto ended = device_beside_->ended();
  bool any = false;
  for (const Item& item : posted_launches_) {
    if (item.launch->number > ended) break;
    if (!item.begun && item.number != 0) any = done_beside_.insert(item.number).second || any;
  }
  if (any) told_.notify_all();
}

Item* Engine::next_beside(With with) {
  const auto may_begin = [&](const Item& item) {
    const bool fits = item.launch ? with == With::launches : item.needs == Item::Needs::host && !runs_beside_;
    return fits && !item.begun && !item.after.empty() && !is_done(item.number) &&
           std::all_of(item.after.begin(), item.after.end(), [&](Number number) { return is_done(number); });
  };
  for (auto* items : {&posted_launches_, &items_}) {
    const auto last = items->begin() + static_cast<std::ptrdiff_t>(std::min(items->size(), kMostWaiting));
    const auto found = std::find_if(items->begin(), last, may_begin);
    if (found != last) return &*found;
  }
  return nullptr;
}

void Engine::run_beside() {
  constexpr auto kPatience = std::chrono::milliseconds(20);  // most launches end by then, and the order stays
  constexpr auto kLook = std::chrono::milliseconds(2);       // how often launches are asked whether they have room
  runs_items = true;
  Lock lock(mutex_);
  ++idle_beside_;
  while (!stop_) {
    if (!waits_since_) {
      wake_beside_.wait(lock);
      continue;
    }
    if (const auto begin = *waits_since_ + kPatience; std::chrono::steady_clock::now() < begin) {
      wake_beside_.wait_until(lock, begin);
      continue;
    }
    note_ended();
    const bool overlaps = !checks_.races && !checks_.uninitialised && device_beside_->has_room(kLook);
    if (Item* item = next_beside(overlaps ? With::launches : With::no_launches))
      begin_beside(*item, lock);
    else
      wake_beside_.wait_for(lock, kLook);
  }
  --idle_beside_;
}

// A launch that the device has already is taken from it; it may have begun meanwhile.
void Engine::begin_beside(Item& item, Lock& lock) {
  const bool posted = item.launch && item.launch->number != 0;
  if (posted && !device_beside_->claim(item.launch->number)) {
    item.after.clear();
    return;
  }
  const auto number = item.number;
  item.begun = true;
  if (--idle_beside_ == 0 && beside_.size() < kMostBeside) beside_.emplace_back([this] { run_beside(); });
  if (item.launch) {
    auto request = *item.launch;
    if (!posted) request.number = ++launches_;
    request.checks = checks_;
    ++launches_beside_;
    lock.unlock();
    attempt([&] { report(device_beside_->launch(request)); });
    lock.lock();
    --launches_beside_;
  } else {
    const auto work = item.work;
    runs_beside_ = true;
    lock.unlock();
    if (work) attempt(work);
    lock.lock();
    runs_beside_ = false;
  }
  ++idle_beside_;
  done_beside_.insert(number);
  told_.notify_all();
  wake_beside_.notify_all();
}

void Engine::finish_launches(Number last) {
  {
    const std::lock_guard lock(mutex_);
    waits_since_ = std::chrono::steady_clock::now();
    if (!items_.empty() || posted_launches_.size() > 1) wake_beside_.notify_all();
  }
  attempt([this] { report(device_->synchronize({.interrupt = &interrupt_})); });
  {
    Lock lock(mutex_);
    wait_for_begun(lock, [&] {
      return std::all_of(posted_launches_.begin(), posted_launches_.end(),
                         [&](const Item& item) { return !item.begun || is_done(item.number); });
    });
    posted_launches_.clear();
  }
  tell(last);
}

void Engine::report(const device::Completion& completion) {
  if (interrupt_.raised()) return;
  for (const auto& refused : completion.refused)
    fail(error_of(refused), refused.library + (refused.advice.empty() ? "" : "; " + refused.advice));
  if (!completion.fault) return;
  // An assert has printed its text, and a session reports the rest.
  const bool said = lent_ || completion.fault->kind == device::FaultKind::assertion;
  fail(error_of(*completion.fault), said ? "" : describe(*completion.fault));
}

// Nothing runs after a failure.
void Engine::attempt(const std::function<void()>& work) {
  if (failure_ != cudaSuccess) return;
  try {
    work();
  } catch (const Error& error) {  // a kernel that cannot be compiled
    fail(error_of(error), describe(error));
  } catch (const std::bad_alloc&) {  // of a library's work
    fail(cudaErrorMemoryAllocation, "the host has too little memory for a call of a library");
  }
}

void Engine::fail(cudaError_t error, const std::string& line) {
  const std::lock_guard lock(failing_);
  if (failure_ != cudaSuccess) return;
  if (!line.empty()) say(line);
  failure_ = error;
  if (device_beside_) device_beside_->end();
}

}  // namespace xcuda::runtime
