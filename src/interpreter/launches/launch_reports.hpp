// What %%launch shows: a row for each launch statement and shape, with the times of its launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "display/launch_report.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/launches/checked_launch.hpp"

namespace xcuda::interpreter {

class LaunchReports : public Part {
 public:
  explicit LaunchReports(Frame& frame);
  ~LaunchReports();

  std::size_t row(const CheckedLaunch& launch);  // the number of its row, where it is counted
  std::size_t add(display::LaunchView row);
  // Notes a launch that has a Timing. They come by rising number.
  void time(std::uint64_t launch, std::size_t row) { timed_.emplace_back(launch, row); }
  void repeated(std::size_t row, std::span<const std::string> restored);  // as often as the options say
  void note(std::size_t row, std::string line);                           // once

  display::LaunchReport finish();  // synchronises

 private:
  void add_library_calls();

  std::vector<display::LaunchView> rows_;
  std::vector<std::pair<std::uint64_t, std::size_t>> timed_;  // launch number, row
  std::vector<LaunchLog::LibraryCall> library_calls_;
  std::vector<LaunchLog::LibraryCall>* before_ = nullptr;  // the earlier receiver of reports
};

}  // namespace xcuda::interpreter
