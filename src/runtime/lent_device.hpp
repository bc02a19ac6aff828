// The device of a session whose process holds host modules: their CUDA Runtime works on it instead of on a device of
// its own, beside what the session has there.
#pragma once

#include <cstdint>
#include <optional>

#include "device/device.hpp"

namespace xcuda::runtime {

// Lends the device, before the first call of the runtime; the device lives as long as the process.
void lend_device(device::Device& device);
device::Device* lent_device();  // null: the runtime has one of its own

// The first of the runtime's ids, which no session reaches.
inline constexpr std::uint32_t kFirstLentId = 0x8000'0000;
// The upper half of the window's addresses, which a session reaches last.
device::Window lent_part(const device::Window& window);

}  // namespace xcuda::runtime
