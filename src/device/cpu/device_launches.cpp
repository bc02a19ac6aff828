#include "device/cpu/device_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/cpu/run/launch_limits.hpp"
#include "device/cpu/run/texture_arguments.hpp"

namespace xcuda::device::cpu {

void Launches::run(const LaunchRequest& request) {
  if (begin(request.number)) run(request, launcher_);
  ended_ = request.number;
}

// Waits for earlier ones that run beside: what follows may need them. Meanwhile this one may be claimed.
bool Launches::begin(std::uint64_t number) {
  constexpr auto kLook = std::chrono::milliseconds(10);  // an interrupt wakes nobody
  std::unique_lock lock(mutex_);
  while (!claimed_.contains(number) && !run_beside_.empty() && *run_beside_.begin() < number &&
         !parts_.launcher.outcomes.stopping())
    told_.wait_for(lock, kLook);
  begun_ = number;
  return claimed_.erase(number) == 0;
}

bool Launches::claim(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (number <= begun_) return false;
  claimed_.insert(number);
  run_beside_.insert(number);
  told_.notify_all();
  return true;
}

void Launches::run(const LaunchRequest& request, Launcher& launcher) {
  Outcomes& outcomes = parts_.launcher.outcomes;
  if (outcomes.skipped(request.number)) return;
  std::optional<RefusedLaunch> refused;
  LoadedModule* program = parts_.modules.find(request.module);
  if (program == nullptr)
    refused = {request.number, "CUDA_ERROR_INVALID_HANDLE (400): its module is not loaded", ""};
  else if (const FunctionInfo* info = kernel_of(*program, request.entry); info == nullptr)
    refused = {request.number, fmt::format("CUDA_ERROR_NOT_FOUND (500): its module has no kernel `{}`", request.entry),
               ""};
  else
    refused = cpu::refuse(request, *info);
  LaunchRequest bound;
  if (!refused && !request.textures.empty()) {
    bound = request;
    refused = bind_textures(parts_.launcher.space, bound);
  }
  if (refused) return outcomes.refuse(std::move(*refused));

  std::unique_lock lock(mutex_);
  const auto pace = paces_.emplace(paces_.end());
  lock.unlock();
  struct Scope {
    Launches& of;
    std::list<Pace>::iterator pace;
    ~Scope() {
      const std::lock_guard lock(of.mutex_);
      of.paces_.erase(pace);
    }
  } const scope{*this, pace};
  const CompilePause pause(parts_.modules.jobs());
  launcher.run(request.textures.empty() ? request : bound, *program, *pace);
}

void Launches::prepare(const LaunchRequest& request) {
  LoadedModule* program = parts_.modules.find(request.module);
  const FunctionInfo* info = program ? kernel_of(*program, request.entry) : nullptr;
  if (info == nullptr || cpu::refuse(request, *info)) return;  // the launch says so
  program->kernel({request.entry, request.grid, request.block, request.checks, request.code_wait}, launcher_.wait());
}

std::unique_lock<std::shared_mutex> Launches::alone() {
  std::unique_lock lock(beside_);
  for (const auto& work : std::exchange(later_, {})) work();
  return lock;
}

void Launches::when_alone(std::function<void()> work) {
  later_.push_back(std::move(work));
  const std::unique_lock lock(beside_, std::try_to_lock);
  if (!lock) return;
  for (const auto& each : std::exchange(later_, {})) each();
}

void Launches::name(const ArrayRange& range) { parts_.launcher.space.arrays.announce(range); }

bool Launches::has_room(Pace::Clock::duration time) {
  const std::lock_guard lock(mutex_);
  int working = 0;
  for (const Pace& pace : paces_) {
    if (!pace.steady_for(time)) return false;
    working += pace.working();
  }
  return !paces_.empty() && working < parts_.launcher.pool.threads();
}

// When one does not begin, or ends by a fault, others may wait for it.
Completion Launches::launch(const LaunchRequest& request) {
  Outcomes& outcomes = parts_.launcher.outcomes;
  const std::shared_lock lock(beside_);
  struct Running {
    Launches& of;
    std::uint64_t number;
    Running(Launches& launches, std::uint64_t which) : of(launches), number(which) {
      const std::lock_guard lock(of.mutex_);
      of.run_beside_.insert(number);
    }
    ~Running() {
      const std::lock_guard lock(of.mutex_);
      of.run_beside_.erase(number);
      of.told_.notify_all();
    }
  } const running(*this, request.number);
  if (outcomes.ended()) return outcomes.so_far();
  const auto most = static_cast<std::uint64_t>(parts_.launcher.pool.threads());
  ThreadPool pool(static_cast<int>(std::min(request.grid.count(), most)), parts_.prepare_thread);
  Launcher launcher({parts_.launcher.space, outcomes, pool, parts_.launcher.output, parts_.launcher.error_output});
  for (const Limit limit : {Limit::printf_buffer, Limit::stack_size}) launcher.set_limit(limit, launcher_.limit(limit));
  run(request, launcher);
  Completion completion = outcomes.so_far();
  if (completion.fault || !completion.refused.empty()) end();
  return completion;
}

void Launches::end() {
  parts_.launcher.outcomes.skip_launches();
  parts_.launcher.outcomes.cut_launches();
}

}  // namespace xcuda::device::cpu
