// Whether a device reaches what it is to work on, in a set whose devices share no memory.
#pragma once

#include <cstdint>
#include <span>

#include "device/memory.hpp"
#include "session/device_order.hpp"
#include "session/launch_log.hpp"

namespace xcuda::session {

// What a kernel of cells is given: all of it has to live on the device. Error(type) with the array's name,
// where it lives, and what to do.
void require_given(const device::Memory& memory, std::uint32_t device, const LaunchSite& site);
// What an operation of the session is given, by its pointers: all of each array has to live there. What several devices
// do in one step, or one in on (d) { }, are parts.
enum class Extent : std::uint8_t { whole, part };
void require_operands(const device::Memory& memory, std::uint32_t device, std::span<const DeviceOrder::Range> ranges,
                      Extent extent);

}  // namespace xcuda::session
