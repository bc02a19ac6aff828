// One value of each small display that compares or measures, for the golden files and for pages to look at.
#pragma once

#include "display/chart/chart.hpp"
#include "display/chart/occupancy_chart.hpp"
#include "display/chart/timeline_chart.hpp"
#include "display/difference_view.hpp"
#include "display/history_report.hpp"
#include "tests/unit/display/samples.hpp"

namespace xcuda::display::samples {

inline OccupancyView occupancies() {
  OccupancyView view{.kernel = "scale", .device = "NVIDIA H200", .registers = 40};
  for (std::uint32_t threads = 32; threads <= 1024; threads += 32)
    view.rows.push_back({threads, threads <= 64    ? device::Occupancy{32, threads / 64.0 * 0.5, "blocks"}
                                  : threads == 96  ? device::Occupancy{16, 0.75, "registers"}
                                  : threads <= 512 ? device::Occupancy{static_cast<int>(2048 / threads), 1, ""}
                                                   : device::Occupancy{1, threads / 2048.0, "registers"}});
  return view;
}

// Two streams: one works from 0 to 4 and from 6 to 8, the other from 3 to 7, and nobody from 8 to 9.
inline TimelineView two_streams() {
  return {.device = "NVIDIA H200",
          .streams = {"default stream", "s"},
          .bars = {{0, "scale", 0, 4000, 0},
                   {1, "copy to the host", 3000, 7000, 4096},
                   {0, "scale", 6000, 8000, 0},
                   {0, "fill", 9000, 10000, 64}}};
}

inline std::vector<CellTime> history() {
  return {{.name = "In[1]", .text = "%%kernel", .lines = 5, .took = 210'000'000},
          {.name = "In[2]", .text = "heat<<<1, 32>>>(x);", .took = 100'000'000},
          {.name = "In[3]", .text = "missing + 1", .outcome = CellTime::Outcome::failed, .took = 300'000},
          {.name = "In[4]",
           .text = "heat<<<1, 32>>>(x);",
           .took = 106'000'000,
           .before = "In[2]",
           .took_before = 100'000'000},
          {.name = "In[5]", .text = "%history --times", .outcome = CellTime::Outcome::running}};
}

inline DifferenceView difference() {
  return {.a = "x",
          .b = "y",
          .a_dtype = "float32",
          .b_dtype = "float32",
          .shape = {64, 64},
          .elements = 4096,
          .different = 20,
          .not_finite = 1,
          .first_of_these = WorstElement{0, 4095, "nan", "1.0"},
          .absolute = WorstElement{1.0013580322265625e-4, 100, "1.0", "1.0001"},
          .relative = WorstElement{1.0012578e-4, 100, "1.0", "1.0001"},
          .ulps = WorstElement{12345, 100, "1.0", "1.0001"}};
}

inline std::vector<Sample> small() {
  return {{"occupancy", occupancy_bundle(occupancies())},
          {"occupancy_chart", chart_bundle(occupancy_chart(occupancies()))},
          {"timeline", timeline_bundle(two_streams())},
          {"history", history_bundle(history())},
          {"difference", difference_bundle(difference())}};
}

}  // namespace xcuda::display::samples
