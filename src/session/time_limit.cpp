#include "session/time_limit.hpp"

#include <algorithm>

#include "session/settings.hpp"

namespace xcuda::session {

void TimeLimit::set(double seconds) {
  seconds_ = std::min(seconds, kMaxSeconds);
  left_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
  deadline_.reset();
}

void TimeLimit::run() {
  if (seconds_ > 0 && !deadline_) deadline_ = Clock::now() + left_;
}

void TimeLimit::stop() {
  if (!deadline_) return;
  left_ = std::max(*deadline_ - Clock::now(), {});
  deadline_.reset();
}

}  // namespace xcuda::session
