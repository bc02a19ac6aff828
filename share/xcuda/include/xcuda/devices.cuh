// Which of the devices of a session a kernel runs on, for device code.
#pragma once

namespace xcuda {
namespace detail {

// The device, and how many there are: written by the session before the first launch on each.
static __constant__ int device_numbers[2] = {0, 1};

}  // namespace detail

__device__ inline int device() { return detail::device_numbers[0]; }
__device__ inline int device_count() { return detail::device_numbers[1]; }

}  // namespace xcuda
