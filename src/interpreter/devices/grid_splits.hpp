// Which blocks of a launch each device runs, where its arrays are split: those whose elements it holds. A grid is split
// only where the kernel's code shows that no device reads or writes what another one writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/launches/checked_launch.hpp"
#include "ptx/grid_accesses.hpp"

namespace xcuda::interpreter {

// Memory that a part reaches: of each row of so many bytes the columns [first, end).
struct PartReach {
  DeviceOrder::Range range;
  std::int64_t row = 0, first = 0, end = 0;  // row 0: all of the range
  std::uint64_t bytes() const;
};

struct GridPart {
  std::uint32_t device = 0;
  device::Dim3 first{0, 0, 0}, grid;
  std::vector<PartReach> reach;
  std::vector<DeviceOrder::Range> ranges() const;
};

struct GridSplit {
  std::size_t axis = 0;
  std::string array{};            // whose parts it follows; empty: equal shares
  std::size_t array_axis = 0;     // along which it is split
  std::vector<GridPart> parts{};  // at least two, or none
  std::string why_not{};          // without parts: the reason, "it uses atomics"
  // What is posted for each part; a loop posts the same again and again.
  std::vector<device::LaunchRequest> requests{};
  std::vector<SharedSite> sites{};
  std::vector<DeviceOrder::Work> work{};
};

class GridSplits : public Part {
 public:
  explicit GridSplits(Frame& frame) : Part(frame) {}

  // Null where no array of the launch is split, or somebody has said which device runs it. Good until the next call.
  GridSplit* of(const CheckedLaunch& launch);
  // Makes what is posted for the parts; whole: the site of the launch.
  void prepare(const CheckedLaunch& launch, const SharedSite& whole, GridSplit& split);
  // The launch of one part, for the report.
  CheckedLaunch part(const CheckedLaunch& launch, const GridSplit& split, std::size_t number) const;

 private:
  // An allocation that a parameter points into.
  struct Target {
    std::uint64_t parameter = 0;  // its bit of GridAccess::parameters
    device::Memory::Extent memory;
    bool replicated = false, borrowed = false, in_struct = false;
  };
  struct Code {
    ptx::Module module;
    const ptx::Function* entry = nullptr;
  };
  const Code* code_of(const Kernel& kernel);
  GridSplit plan(const CheckedLaunch& launch, const std::vector<Target>& targets);
  std::vector<Target> targets_of(const CheckedLaunch& launch) const;
  const Array* split_array(const ptx::GridAccess& access, const std::vector<Target>& targets) const;
  std::optional<GridSplit> along_array(const CheckedLaunch& launch, const ptx::GridAccess& access, const Array& array);
  GridSplit in_equal_shares(const CheckedLaunch& launch) const;
  // What is wrong with it, or empty; gives each part its reach.
  std::string settle(const CheckedLaunch& launch, const std::vector<ptx::GridAccess>& accesses,
                     const std::vector<Target>& targets, GridSplit& split) const;

  std::map<std::pair<device::ModuleId, std::string>, Code> codes_;
  std::map<std::string, GridSplit> plans_;  // by all that they depend on
};

}  // namespace xcuda::interpreter
