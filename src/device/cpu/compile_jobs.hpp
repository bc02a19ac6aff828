// Kernels that are compiled in threads beside the one that runs launches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "device/cpu/jit/stored_kernel.hpp"
#include "device/cpu/run/loaded_kernels.hpp"

namespace xcuda::device::cpu {

std::string short_name(std::string_view entry);  // of a kernel: "scale" of `void demo::scale<float>(float*)`

// Tells how far a compile is, and at the end of the scope that it is over.
class Told {
 public:
  explicit Told(const CompileWait& wait) : wait_(wait) {}
  ~Told() {
    if (wait_.tell) wait_.tell({});
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  void say(std::string_view kernel, std::string_view phase) const;

 private:
  const CompileWait& wait_;
};

// The compile of one kernel. Its holders may wait for it or let go of it.
class CompileJob {
 public:
  explicit CompileJob(std::string kernel) : kernel_(std::move(kernel)) {}

  // Called by its thread before each phase. Throws when the job has no holders any more.
  void begin(const char* phase);
  void drop() { dropped_ = true; }

  // False: the wait was given up, and the job goes on.
  bool wait(const CompileWait& wait) const;
  bool done() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  CompiledKernel take() { return result_.get(); }  // once, after the wait; throws what the compile threw

  void finish(NativeCode facts);  // by its thread
  NativeCode facts() const;       // so far: `compiling`, then what it was finished with

 private:
  friend class CompileJobs;

  const std::string kernel_;  // its name, for people
  std::atomic<const char*> phase_{"waiting"};
  std::atomic<bool> dropped_{false};
  mutable std::mutex mutex_;
  NativeCode facts_{NativeCode::State::compiling, {}, 0, 0};
  std::packaged_task<CompiledKernel()> task_;
  std::future<CompiledKernel> result_;
};

// Kernels that launches wait for come first, on a thread of their own, so that they do not wait for other kernels.
// Kernels that may be launched later begin only while nothing runs: they would take processors from the blocks.
class CompileJobs {
 public:
  using Work = std::function<CompiledKernel(CompileJob&)>;

  // threads: for what may be launched later. prepare runs first on each new thread.
  explicit CompileJobs(int threads, std::function<void()> prepare = {});
  ~CompileJobs();  // drops jobs that have not begun; a running one ends before its next phase
  CompileJobs(const CompileJobs&) = delete;
  CompileJobs& operator=(const CompileJobs&) = delete;

  // kernel: its name, for people.
  std::shared_ptr<CompileJob> begin(std::string kernel, Work work);
  // Begins a compile for a launch that may come. Null: so many jobs wait already that they must be a library, and a
  // session uses little of one; or the CompileJobs are ending.
  std::shared_ptr<CompileJob> begin_ahead(std::string kernel, Work work);
  void hurry(const std::shared_ptr<CompileJob>& job);  // a launch waits for it now
  // Launches run slower code until the job is done: one thread goes on with it while they run.
  void go_beside(const std::shared_ptr<CompileJob>& job);

  void pause() { paused_ = true; }  // a launch runs
  bool go_on();                     // no launch runs; whether it was paused

 private:
  enum class Takes : std::uint8_t { wanted, beside, all };
  using Queue = std::deque<std::shared_ptr<CompileJob>>;
  static std::shared_ptr<CompileJob> made(std::string kernel, Work work);
  void add_worker();
  void run(Takes takes);

  const std::size_t threads_;
  const std::function<void()> prepare_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Queue& queue_for(Takes takes);
  bool has_work(Takes takes) const;

  Queue wanted_, beside_, ahead_, running_;
  std::atomic<bool> paused_{false}, some_ahead_{false};
  bool stop_ = false;
  std::thread first_;  // for jobs that launches wait for; it and the others start with the first job that needs them
  std::thread beside_thread_;
  std::vector<std::thread> workers_;
};

// Pauses compiles for the time of a launch.
class CompilePause {
 public:
  explicit CompilePause(CompileJobs& jobs) : jobs_(jobs) { jobs_.pause(); }
  ~CompilePause() { jobs_.go_on(); }
  CompilePause(const CompilePause&) = delete;
  CompilePause& operator=(const CompilePause&) = delete;

 private:
  CompileJobs& jobs_;
};

}  // namespace xcuda::device::cpu
