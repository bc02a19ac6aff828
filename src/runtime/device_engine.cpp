#include "runtime/device_engine.hpp"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
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

}  // namespace

Engine::Engine()
    : lent_(lent_device() != nullptr),
      own_device_(lent_ ? nullptr
                        : device::cpu::make_cpu_device({}, {.output = writer(stdout), .error_output = writer(stderr)})),
      device_(lent_ ? lent_device() : own_device_.get()),
      info_(device_->info()),
      checks_(wanted_checks()) {
  if (!lent_) thread_ = std::thread([this] { run(); });
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    items_.clear();
  }
  interrupt_.raise();
  wake_.notify_one();
  wake_beside_.notify_one();
  if (beside_.joinable()) beside_.join();
  if (thread_.joinable()) thread_.join();
}

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
  {
    const std::lock_guard lock(mutex_);
    for (Item& item : items) {
      item.number = ++posted_;
      if (item.needs == Item::Needs::host && !beside_.joinable()) beside_ = std::thread([this] { run_beside(); });
      items_.push_back(std::move(item));
    }
    number = posted_;
  }
  wake_.notify_one();
  wake_beside_.notify_one();
  return number;
}

Engine::Number Engine::run_now(std::vector<Item> items) {
  const std::lock_guard lock(now_);
  const auto before = worker_.exchange(std::this_thread::get_id());
  for (Item& item : items) run_item(std::move(item));
  worker_ = before;
  return posted_;
}

void Engine::run_item(Item item) {
  posted_ += item.count;
  if (item.launch) {
    item.launch->number = ++launches_;
    if (failure_ == cudaSuccess) device_->post_launch(*item.launch);
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

void Engine::wait(Number number) {
  if (lent_) {
    const std::lock_guard lock(now_);
    if (std::exchange(launched_, false)) finish_launches(posted_);
    return;
  }
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return is_done(number) || stop_; });
}

void Engine::wait_for_all() {
  if (lent_) return wait(0);
  std::unique_lock lock(mutex_);
  const auto last = posted_;  // which may be done beside a launch, before the others
  told_.wait(lock, [&] { return done_ >= last || stop_; });
}

void Engine::run() {
  worker_ = std::this_thread::get_id();
  Number taken = 0;
  bool launched = false;
  std::unique_lock lock(mutex_);
  while (true) {
    // Launches are posted one after another, and waited for together.
    if (launched && (items_.empty() || !items_.front().launch)) {
      lock.unlock();
      finish_launches(taken);
      launched = false;
      lock.lock();
      continue;
    }
    wake_.wait(lock, [&] { return stop_ || !items_.empty(); });
    if (stop_) break;
    Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    if (item.launch) {
      item.launch->number = ++launches_;
      item.launch->checks = checks_;
      if (failure_ == cudaSuccess) device_->post_launch(*item.launch);
      launched = true;
      taken += item.count;
    } else if (item.more) {
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
  lock.unlock();
  own_device_.reset();
}

void Engine::tell(Number last) {
  const std::lock_guard lock(mutex_);
  done_ = last;
  done_beside_.erase(done_beside_.begin(), done_beside_.upper_bound(last));
  told_.notify_all();
}

Item* Engine::next_beside() {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
    return item.needs == Item::Needs::host && !item.begun && !item.after.empty() &&
           std::all_of(item.after.begin(), item.after.end(), [&](Number number) { return is_done(number); });
  });
  return found == items_.end() ? nullptr : &*found;
}

void Engine::run_beside() {
  constexpr auto kPatience = std::chrono::milliseconds(20);  // most launches end by then, and the order stays
  beside_id_ = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!waits_since_ || next_beside() == nullptr) {
      wake_beside_.wait(lock);
      continue;
    }
    if (const auto begin = *waits_since_ + kPatience; std::chrono::steady_clock::now() < begin) {
      wake_beside_.wait_until(lock, begin);
      continue;
    }
    auto& item = *next_beside();
    item.begun = runs_beside_ = true;
    const auto number = item.number;
    const auto work = item.work;
    lock.unlock();
    if (work) attempt(work);
    lock.lock();
    done_beside_.insert(number);
    runs_beside_ = false;
    told_.notify_all();
  }
}

void Engine::finish_launches(Number last) {
  {
    const std::lock_guard lock(mutex_);
    waits_since_ = std::chrono::steady_clock::now();
  }
  wake_beside_.notify_one();
  attempt([this] {
    const auto completion = device_->synchronize({.interrupt = &interrupt_});
    if (interrupt_.raised()) return;
    if (completion.fault) {  // an assert has printed its text, and a session reports the rest
      const bool said = lent_ || completion.fault->kind == device::FaultKind::assertion;
      fail(error_of(*completion.fault), said ? "" : describe(*completion.fault));
    }
    for (const auto& refused : completion.refused)
      fail(error_of(refused), refused.library + (refused.advice.empty() ? "" : "; " + refused.advice));
  });
  {
    std::unique_lock lock(mutex_);
    waits_since_.reset();
    told_.wait(lock, [&] { return !runs_beside_; });  // what follows is in order again
  }
  tell(last);
}

// Nothing runs after a failure.
void Engine::attempt(const std::function<void()>& work) {
  if (failure_ != cudaSuccess) return;
  try {
    work();
  } catch (const Error& error) {  // a kernel that cannot be compiled
    fail(error_of(error), describe(error));
  }
}

// The first error is the one that all later calls return.
void Engine::fail(cudaError_t error, const std::string& line) {
  if (!line.empty()) say(line);
  if (failure_ == cudaSuccess) failure_ = error;
}

}  // namespace xcuda::runtime
