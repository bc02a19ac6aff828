// What %%launch says about the launches of its statements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/device.hpp"

namespace xcuda::interpreter {

// How a launch runs, where its statement does not say it.
struct LaunchManner {
  std::optional<device::StreamId> stream;
  std::optional<device::Dim3> cluster;  // blocks of a cluster
  device::LaunchMode mode = device::LaunchMode::normal;
};

struct LaunchOptions : LaunchManner {
  enum class Report : std::uint8_t { none, timed } report = Report::none;
  enum class Restore : std::uint8_t { yes, no } restore = Restore::yes;
  enum class Compare : std::uint8_t { no, with_cpu } compare = Compare::no;  // see second_run.hpp
  std::uint64_t repeat = 1, warmup = 0;
  std::uint64_t dynamic_shared = 0;    // bytes, of launches that name none
  std::vector<std::uint32_t> devices;  // that run each launch; empty: the current one
  // Whether devices share the blocks of a grid: where it is safe, never, or along an axis for which the caller vouches.
  enum class Split : std::uint8_t { automatic, none, x, y, z } split = Split::automatic;
  device::Checks checks;

  bool repeats() const { return repeat > 1 || warmup > 0; }
};

}  // namespace xcuda::interpreter
