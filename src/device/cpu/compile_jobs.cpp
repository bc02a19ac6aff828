#include "device/cpu/compile_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/demangle.hpp"
#include "device/cpu/plan/layout.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::size_t kMostAhead = 64;          // kernels
constexpr std::chrono::milliseconds kLook{20};  // how often somebody who waits looks around

std::string_view words_of(std::string_view phase) {
  if (phase == "plan") return "analysis";
  if (phase == "emit") return "translation";
  if (phase == "optimise") return "optimisation";
  if (phase == "object") return "machine code";
  return phase;
}

}  // namespace

std::string short_name(std::string_view entry) {
  std::string name = demangled(std::string(entry));
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (auto at = name.find(kAnonymous); at != name.npos; at = name.find(kAnonymous)) name.erase(at, kAnonymous.size());
  name.resize(std::min(name.find_first_of("<("), name.size()));
  if (const auto before = name.find_last_of(" :"); before != name.npos) name.erase(0, before + 1);
  return name;
}

void Told::say(std::string_view kernel, std::string_view phase) const {
  if (wait_.tell) wait_.tell(fmt::format("compiling {}: {}", kernel, words_of(phase)));
}

void CompileJob::begin(const char* phase) {
  phase_ = phase;
  if (dropped_) throw Error(ErrorKind::interrupted, "the compile of " + kernel_ + " was dropped");
}

void CompileJob::finish(NativeCode facts) {
  const std::lock_guard lock(mutex_);
  facts_ = std::move(facts);
}

NativeCode CompileJob::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

bool CompileJob::wait(const CompileWait& wait) const {
  const Told told(wait);
  const char* last = nullptr;
  while (true) {
    if (const char* phase = phase_; phase != last) {
      told.say(kernel_, phase);
      last = phase;
    }
    if (result_.wait_for(wait.given_up && wait.given_up() ? std::chrono::milliseconds(0) : kLook) ==
        std::future_status::ready)
      return true;
    if (wait.given_up && wait.given_up()) return false;
  }
}

CompileJobs::CompileJobs(int threads, std::function<void()> prepare)
    : threads_(static_cast<std::size_t>(threads)), prepare_(std::move(prepare)) {}

CompileJobs::~CompileJobs() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const auto& job : running_) job->drop();
  }
  wake_.notify_all();
  if (first_.joinable()) first_.join();
  if (beside_thread_.joinable()) beside_thread_.join();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<CompileJob> CompileJobs::made(std::string kernel, Work work) {
  auto job = std::make_shared<CompileJob>(std::move(kernel));
  // The task carries an error to the thread that asks; nothing is caught here.
  job->task_ = std::packaged_task<CompiledKernel()>([work = std::move(work), at = job.get()] { return work(*at); });
  job->result_ = job->task_.get_future();
  return job;
}

std::shared_ptr<CompileJob> CompileJobs::begin(std::string kernel, Work work) {
  auto job = made(std::move(kernel), std::move(work));
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back(job);
    if (!first_.joinable())
      first_ = std::thread([this] { run(Takes::wanted); });
    else if (wanted_.size() + running_.size() > 1)  // one that nobody waits for any longer
      add_worker();
  }
  wake_.notify_all();
  return job;
}

std::shared_ptr<CompileJob> CompileJobs::begin_ahead(std::string kernel, Work work) {
  auto job = made(std::move(kernel), std::move(work));
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(ahead_, [](const auto& each) { return each->dropped_.load(); });
    if (stop_ || ahead_.size() >= kMostAhead) return nullptr;
    ahead_.push_back(job);
    some_ahead_ = true;
    add_worker();
  }
  wake_.notify_all();
  return job;
}

void CompileJobs::add_worker() {
  if (workers_.size() < threads_) workers_.emplace_back([this] { run(Takes::all); });
}

void CompileJobs::hurry(const std::shared_ptr<CompileJob>& job) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(ahead_, job) == 0) return;  // it runs, or is done
    wanted_.push_back(job);
    some_ahead_ = !ahead_.empty();
  }
  wake_.notify_all();
}

void CompileJobs::go_beside(const std::shared_ptr<CompileJob>& job) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(ahead_, job) == 0) return;  // it runs, or is done
    beside_.push_back(job);
    some_ahead_ = !ahead_.empty();
    if (!beside_thread_.joinable()) beside_thread_ = std::thread([this] { run(Takes::beside); });
  }
  wake_.notify_all();
}

bool CompileJobs::go_on() {
  const bool was = paused_.exchange(false);
  if (!was || !some_ahead_) return was;
  { const std::lock_guard lock(mutex_); }  // a thread that has just looked sleeps by now
  wake_.notify_all();
  return was;
}

bool CompileJobs::has_work(Takes takes) const {
  if (takes == Takes::beside) return !beside_.empty();
  return !wanted_.empty() || (takes == Takes::all && !ahead_.empty() && !paused_);
}

CompileJobs::Queue& CompileJobs::queue_for(Takes takes) {
  if (takes == Takes::beside) return beside_;
  return !wanted_.empty() ? wanted_ : ahead_;
}

void CompileJobs::run(Takes takes) {
  if (prepare_) prepare_();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || has_work(takes); });
    if (stop_) return;
    Queue& queue = queue_for(takes);
    const std::shared_ptr<CompileJob> job = std::move(queue.front());
    queue.pop_front();
    some_ahead_ = !ahead_.empty();
    running_.push_back(job);
    lock.unlock();
    job->task_();
    job->task_ = {};  // what it held may be large
    lock.lock();
    std::erase(running_, job);
  }
}

}  // namespace xcuda::device::cpu
