// The list of devices, from a process that lives only for the question: a driver that hangs or crashes at its start
// costs only the answer.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/worker.hpp"
#include "device/device.hpp"

namespace xcuda::device::remote {

// The session's side. Without devices the error tells why: what the driver said, or how the process ended.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::optional<Error> error;
};
DeviceList ask_for_devices(const WorkerOptions& worker, const WaitLimits& limits);

// The worker's side: answers until the session is gone, and returns the exit status of the process.
int answer_with_devices(Channel& channel, const std::function<std::vector<DeviceInfo>()>& list);

}  // namespace xcuda::device::remote
