// What the device in use reaches, found by a copy, an update in place, and multiplications with additions.
#pragma once

#include "arrays/operations.hpp"

namespace xcuda::arrays {

struct DeviceLimits {
  double bandwidth = 0;   // bytes per second, read and written
  double operations = 0;  // of single precision per second; a multiply-add counts as two
};

// The best of several runs, each of tens of milliseconds, so that the host's clock and the launches do not count.
// Takes about a second. Errors: memory, interrupted, those of launches.
DeviceLimits measure_limits(Operations& operations);

}  // namespace xcuda::arrays
