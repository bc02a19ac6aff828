// What the device in use reaches, found by a copy and by multiplications with additions.
#pragma once

#include "arrays/operations.hpp"

namespace xcuda::arrays {

struct DeviceLimits {
  double bandwidth = 0;   // bytes per second, of a copy: what is read and what is written
  double operations = 0;  // of single precision per second; a multiply-add counts as two
};

// The best of several runs, each of tens of milliseconds, so that the host's clock and the launches do not count.
// Takes about a second. Errors: memory, interrupted, those of launches.
DeviceLimits measure_limits(Operations& operations);

}  // namespace xcuda::arrays
