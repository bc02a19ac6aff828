#include "runtime/engine.hpp"

#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

#include "device/cpu/cpu_device.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

// Through the program's own buffers, so that what kernels and the host print keeps its order.
std::function<void(std::string_view)> writer(std::FILE* file) {
  return [file](std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); };
}

}  // namespace

Engine::Engine()
    : device_(device::cpu::make_cpu_device({}, {.output = writer(stdout), .error_output = writer(stderr)})),
      info_(device_->info()),
      thread_([this] { run(); }) {}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    items_.clear();
  }
  interrupt_.raise();
  wake_.notify_one();
  thread_.join();
}

Engine::Number Engine::post(Item item) {
  std::vector<Item> items;
  items.push_back(std::move(item));
  return post(std::move(items));
}

Engine::Number Engine::post(std::vector<Item> items) {
  Number number = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Item& item : items) items_.push_back(std::move(item));
    number = posted_ += items.size();
  }
  wake_.notify_one();
  return number;
}

void Engine::wait(Number number) {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return done_ >= number || stop_; });
}

void Engine::wait_for_all() {
  Number last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = posted_;
  }
  wait(last);
}

void Engine::run() {
  Number taken = 0;
  bool launched = false;
  std::unique_lock lock(mutex_);
  while (true) {
    if (launched && items_.empty()) {  // launches are posted one after another, and waited for together
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
      if (failure_ == cudaSuccess) device_->post_launch(*item.launch);
      launched = true;
      taken += item.count;
    } else if (item.more) {
      if (launched) finish_launches(taken);
      launched = false;
      std::vector<Item> more;
      attempt([&] { more = item.more(); });
      more.push_back({.count = item.count});  // with the last of them it is done
      lock.lock();
      items_.insert(items_.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      continue;
    } else {
      if (launched) finish_launches(taken);
      launched = false;
      if (item.work) attempt(item.work);
      taken += item.count;
      item = {};
      const std::lock_guard telling(mutex_);
      done_ = taken;
      told_.notify_all();
    }
    lock.lock();
  }
  told_.notify_all();
  lock.unlock();
  device_.reset();
}

void Engine::finish_launches(Number last) {
  attempt([this] {
    const auto completion = device_->synchronize({.interrupt = &interrupt_});
    if (interrupt_.raised()) return;
    if (completion.fault)  // what an assert says is said
      fail(error_of(*completion.fault),
           completion.fault->kind == device::FaultKind::assertion ? "" : describe(*completion.fault));
    for (const auto& refused : completion.refused)
      fail(error_of(refused), refused.library + (refused.advice.empty() ? "" : "; " + refused.advice));
  });
  const std::lock_guard lock(mutex_);
  done_ = last;
  told_.notify_all();
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
