// The lanes of CUDA's vectors by name: those of a float4 are x, y, z and w.
#pragma once

#include <optional>
#include <string_view>

namespace xcuda {

constexpr std::string_view kLaneNames = "xyzw";

constexpr std::string_view lane_name(int lane) { return kLaneNames.substr(static_cast<std::size_t>(lane), 1); }

// The lane with this name in a vector of `lanes` lanes; nothing if it has no such lane.
constexpr std::optional<int> lane_of(std::string_view name, int lanes) {
  for (int lane = 0; lane < lanes; ++lane)
    if (name == lane_name(lane)) return lane;
  return std::nullopt;
}

}  // namespace xcuda
