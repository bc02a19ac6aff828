// What a GPU does beside the work of a session.
#pragma once

#include <cstdint>
#include <string>

namespace xcuda::device {

// What a GPU does at the moment; 0 for unknown values.
struct BoardState {
  double clock_hz = 0, memory_clock_hz = 0;
  int temperature = 0;                // degrees Celsius
  double power = 0, power_limit = 0;  // watts
  std::string slowed_by;              // "power cap, temperature"; empty when nothing slows it
  std::uint64_t memory_errors = 0;    // errors that ECC could not correct, since the driver was loaded
  bool remap_pending = false;         // the next reset replaces rows of memory that have failed
};

}  // namespace xcuda::device
