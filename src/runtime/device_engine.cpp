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

constexpr std::size_t kMostBeside = 128;   // launches; as many as a GPU runs at once
constexpr std::size_t kMostLooked = 1024;  // items; as many as a GPU takes before a launch waits

thread_local bool runs_items = false;

}  // namespace

Engine::Engine()
    : lent_(lent_device() != nullptr),
      own_device_(lent_ ? nullptr
                        : device::cpu::make_cpu_device({}, {.output = writer(stdout), .error_output = writer(stderr)})),
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
    for (Item& item : items) {
      item.number = ++posted_;
      if (&item != &items.front()) item.after = {posted_ - 1};
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

void Engine::launch(device::LaunchRequest& request) {
  request.number = ++launches_;
  request.checks = checks_;
  if (failure_ == cudaSuccess) device_->post_launch(request);
}

void Engine::run() {
  runs_items = true;
  Number taken = 0;
  std::optional<std::uint64_t> launched;  // the stream
  std::unique_lock lock(mutex_);
  while (true) {
    // Launches of a stream are posted one after another, and waited for together.
    const auto goes_on = [&](const Item& item) { return item.launch && !item.begun && item.stream == launched; };
    if (launched && (items_.empty() || !goes_on(items_.front()))) {
      lock.unlock();
      finish_launches(taken);
      launched.reset();
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
      launched = item.stream;
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
  if (device_beside_) device_beside_->end();
  told_.wait(lock, [&] { return launches_beside_ == 0; });
  lock.unlock();
  own_device_.reset();
}

bool Engine::pass_begun(std::unique_lock<std::mutex>& lock) {
  const auto number = items_.front().number;
  if (!is_done(number)) {
    waits_since_ = std::chrono::steady_clock::now();
    wake_beside_.notify_all();
    told_.wait(lock, [&] { return is_done(number) || stop_; });
    waits_since_.reset();
  }
  told_.wait(lock, [&] { return !runs_beside_ || stop_; });
  return !stop_;
}

void Engine::tell(Number last) {
  const std::lock_guard lock(mutex_);
  done_ = last;
  done_beside_.erase(done_beside_.begin(), done_beside_.upper_bound(last));
  told_.notify_all();
}

Item* Engine::next_beside(With with) {
  const auto last = items_.begin() + static_cast<std::ptrdiff_t>(std::min(items_.size(), kMostLooked));
  const auto found = std::find_if(items_.begin(), last, [&](const Item& item) {
    const bool fits = item.launch ? with == With::launches : item.needs == Item::Needs::host && !runs_beside_;
    return fits && !item.begun && !item.after.empty() &&
           std::all_of(item.after.begin(), item.after.end(), [&](Number number) { return is_done(number); });
  });
  return found == last ? nullptr : &*found;
}

void Engine::run_beside() {
  constexpr auto kPatience = std::chrono::milliseconds(20);  // most launches end by then, and the order stays
  constexpr auto kLook = std::chrono::milliseconds(1);       // how often a launch is asked whether it gets on
  runs_items = true;
  std::unique_lock lock(mutex_);
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
    const bool overlaps = !checks_.races && !checks_.uninitialised && device_beside_->only_wait(kPatience);
    if (Item* item = next_beside(overlaps ? With::launches : With::no_launches))
      begin_beside(*item, lock);
    else if (next_beside(With::launches) != nullptr)
      wake_beside_.wait_for(lock, kLook);
    else
      wake_beside_.wait(lock);
  }
  --idle_beside_;
}

void Engine::begin_beside(Item& item, std::unique_lock<std::mutex>& lock) {
  const auto number = item.number;
  item.begun = true;
  if (--idle_beside_ == 0 && beside_.size() < kMostBeside) beside_.emplace_back([this] { run_beside(); });
  if (item.launch) {
    auto request = *item.launch;
    request.number = ++launches_;
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
    if (!items_.empty()) wake_beside_.notify_all();
  }
  attempt([this] { report(device_->synchronize({.interrupt = &interrupt_})); });
  {
    std::unique_lock lock(mutex_);
    waits_since_.reset();
    told_.wait(lock, [&] { return !runs_beside_; });  // what follows is in order again
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
