#include "session/cell_clock.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/units.hpp"

namespace xcuda::session {

void CellClock::start() {
  if (seconds_ == 0) return;
  const auto work = [](void* clock) -> void* {
    static_cast<CellClock*>(clock)->run();
    return nullptr;
  };
  pthread_t thread{};
  if (const int failure = pthread_create(&thread, nullptr, work, this); failure != 0)
    throw Error(ErrorKind::io, "cannot start the thread that limits the time of a cell")
        .said(errno_text(failure))
        .advise("The limit on processes (ulimit -u) or on memory is too low: raise it, or %config duration 0.");
  thread_ = thread;
}

void CellClock::run() {
  std::unique_lock lock(mutex_);
  over_ = !stopping_.wait_for(lock, std::chrono::duration<double>(seconds_), [this] { return stop_; });
  if (over_) interrupt_.raise();
}

bool CellClock::stop() {
  if (!thread_) return over_;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_one();
  pthread_join(*thread_, nullptr);
  thread_.reset();
  return over_;
}

void CellClock::explain(display::ErrorView& failed) const {
  const auto limit = format_duration(seconds_ * 1e9);
  const auto why = fmt::format("the cell took longer than {}", limit);
  const auto advice = fmt::format("The limit is {}. Change it with %config duration; 0 means no limit.", limit);
  failed.error.message += ": " + why;
  failed.error.advice = advice;
  if (!failed.rendered) return;  // by Python
  failed.rendered->evalue = why;
  failed.rendered->traceback.push_back(fmt::format("{}. {}", why, advice));
}

}  // namespace xcuda::session
