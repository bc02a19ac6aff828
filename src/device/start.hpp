// What a device is made with.
#pragma once

#include <cstddef>
#include <span>

#include "device/device.hpp"
#include "device/piece_request.hpp"

namespace xcuda::device {

struct FaultRecord;

struct StartRequest {
  Window window;                 // wanted; DeviceInfo tells what was obtained
  std::span<std::byte> staging;  // shared with the session; empty: the device makes a buffer of its own
  FaultRecord* fault_record =
      nullptr;         // where a fault that ends the process is recorded; null in the session's process
  PieceDoor pieces{};  // of mirrors
};

}  // namespace xcuda::device
