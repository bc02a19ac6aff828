// The wait for all that was posted to the CPU device, within the limits of a request.
#pragma once

#include "device/cpu/run/outcomes.hpp"
#include "device/cpu/run/work_queue.hpp"

namespace xcuda::device::cpu {

// What does not end in time is a fault in the outcomes.
void finish(WorkQueue& queue, Outcomes& outcomes, const WaitRequest& request);

}  // namespace xcuda::device::cpu
