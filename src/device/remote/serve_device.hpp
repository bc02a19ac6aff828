// The worker's end: serves a device to a session until the session is gone.
#pragma once

#include <functional>
#include <memory>

#include "base/channel.hpp"
#include "device/device.hpp"
#include "device/start.hpp"

namespace xcuda::device::remote {

// Makes the device; called once, after the session has opened the worker. An Error becomes the answer to every call.
using DeviceMaker = std::function<std::unique_ptr<Device>(const StartRequest&)>;

// Returns the exit status of the process, when the session has closed its socket. Does not return after a fault: it
// sends a report and leaves the process, as the device's state cannot be trusted any more.
int serve(Channel& channel, const DeviceMaker& make);

}  // namespace xcuda::device::remote
