// What a GPU does at the moment, from NVML: the driver's management library, where it is installed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace xcuda::device::cuda {

// Nothing where libnvidia-ml.so.1 is missing or knows no GPU of this UUID ("GPU-..."). Reads only, changes nothing.
// others: the UUIDs of the GPUs that links are told of.
std::optional<BoardState> read_board(const std::string& uuid, const std::vector<std::string>& others = {});

}  // namespace xcuda::device::cuda
