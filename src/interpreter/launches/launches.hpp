// Launch statements: checked as a whole, then posted, once or as often as %%launch says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/devices/grid_splits.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/launches/checked_launch.hpp"

namespace xcuda::interpreter {

class Launches : public Part {
 public:
  explicit Launches(Frame& frame) : Part(frame) {}

  void run(const cell::Launch& launch, cell::Span span) { run(launch, span, frame_.options); }
  // manner: of this launch alone, and not of those that its arguments make.
  void run(const cell::Launch& launch, cell::Span span, const LaunchManner& manner);

 private:
  // What a statement posts: one launch, or several that devices run beside each other.
  struct Step {
    std::vector<CheckedLaunch> launches;
    std::vector<SharedSite> sites;
    std::vector<DeviceOrder::Work> work;  // empty: of one launch
    std::vector<std::size_t> rows;        // of the report; empty: none
  };
  enum class Timed : bool { no, yes };

  CheckedLaunch check(const cell::Launch& launch, cell::Span span, const LaunchManner& manner);
  SharedSite site_of(const CheckedLaunch& launch);
  Step on_devices(const cell::Launch& statement, cell::Span span, const LaunchManner& manner);
  Step in_parts(const CheckedLaunch& launch, const GridSplit& split);
  void post(Step& step, Timed timed);
  void repeat(Step& step);
  void note(std::size_t row, std::string_view kernel, const GridSplit& split);
  bool can_be_counted(const CheckedLaunch& launch) const;
  void count(const CheckedLaunch& launch, const SharedSite& site, std::size_t row);  // the bytes that it touches
};

}  // namespace xcuda::interpreter
