// Block sizes of a kernel against the occupancy that they allow, and what limits each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "display/chart/chart.hpp"
#include "display/kernel_view.hpp"

namespace xcuda::display {

struct OccupancyView {
  std::string kernel, device;
  int registers = 0;                                    // a thread
  std::uint64_t static_shared = 0, dynamic_shared = 0;  // bytes a block
  std::vector<BlockOccupancy> rows;                     // by rising size, kOccupancyStep threads apart
};

inline constexpr std::uint32_t kOccupancyStep = 32;  // threads: a warp
inline constexpr std::string_view kOccupancyMime = "application/vnd.xcuda.occupancy+json";

Chart occupancy_chart(const OccupancyView& view);    // a bar for each size, a colour for each limiter
Bundle occupancy_bundle(const OccupancyView& view);  // a table of the usual sizes and of the best ones

}  // namespace xcuda::display
