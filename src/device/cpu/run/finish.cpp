#include "device/cpu/run/finish.hpp"

namespace xcuda::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Launches that have not begun are skipped. One that runs may end by itself; then it is cut after the blocks that
// run now; one that does not even end so is for the owner of the process to end.
void stop(WorkQueue& queue, Outcomes& outcomes, const WaitRequest& request) {
  outcomes.skip_launches();
  const auto start = Clock::now();
  if (queue.wait(nullptr, start + request.grace / 4) != WorkQueue::Wait::done) {
    outcomes.cut_launches();
    if (queue.wait(nullptr, start + request.grace) != WorkQueue::Wait::done)
      outcomes.end_running(FaultKind::interrupted, "the kernel did not stop at the interrupt");
  }
  if (!outcomes.ended()) outcomes.go_on();
}

}  // namespace

void finish(WorkQueue& queue, Outcomes& outcomes, const WaitRequest& request) {
  const auto answer = queue.wait(request.interrupt, request.deadline);
  if (answer == WorkQueue::Wait::interrupted) {
    stop(queue, outcomes, request);
  } else if (answer == WorkQueue::Wait::time_limit) {
    outcomes.cut_launches();
    queue.wait(nullptr, Clock::now() + request.grace);
    outcomes.end_running(FaultKind::time_limit, "it reached the time limit");
  }
}

}  // namespace xcuda::device::cpu
