// Runs launches: those of the device's queue one after another, and beside them those whose turn a runtime does not
// wait for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/loaded_modules.hpp"
#include "device/cpu/run/launcher.hpp"

namespace xcuda::device::cpu {

struct LaunchesParts {
  LauncherParts launcher;
  LoadedModules& modules;
  std::function<void()> prepare_thread;
};

class Launches final : public Beside {
 public:
  explicit Launches(LaunchesParts parts) : parts_(std::move(parts)), launcher_(parts_.launcher) {}

  Launcher& launcher() { return launcher_; }  // of the queue

  // On the thread of the queue.
  void run(const LaunchRequest& request);       // errors: unsupported, compile
  void prepare(const LaunchRequest& request);   // compiles its kernel
  std::unique_lock<std::shared_mutex> alone();  // waits until nothing runs beside, and keeps it so
  void when_alone(std::function<void()> work);  // now, or before the next alone() returns

  void name(const ArrayRange& range) override;
  bool claim(std::uint64_t number) override;
  std::uint64_t ended() override { return ended_; }
  bool has_room(Pace::Clock::duration time) override;
  Completion launch(const LaunchRequest& request) override;
  void end() override;

 private:
  void run(const LaunchRequest& request, Launcher& launcher);
  bool begin(std::uint64_t number);  // its turn has come; false: it was claimed

  LaunchesParts parts_;
  Launcher launcher_;
  std::shared_mutex beside_;                  // held by each launch beside
  std::vector<std::function<void()>> later_;  // of the queue's thread
  std::mutex mutex_;
  std::condition_variable told_;
  std::list<Pace> paces_;                         // of the launches that run
  std::set<std::uint64_t> claimed_, run_beside_;  // until their turn comes; until they end
  std::uint64_t begun_ = 0;                       // in turn
  std::atomic<std::uint64_t> ended_{0};
};

}  // namespace xcuda::device::cpu
