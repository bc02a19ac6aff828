// What a GPU does at the moment, from NVML: the driver's management library, where it is installed.
#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"

namespace xcuda::device::cuda {

// Nothing where libnvidia-ml.so.1 is missing or knows no GPU of this UUID ("GPU-..."). Reads only, changes nothing.
std::optional<BoardState> read_board(const std::string& uuid);

}  // namespace xcuda::device::cuda
