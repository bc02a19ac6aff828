// The results of launches: one row each, with the figures that a CUDA programmer looks for first.
#pragma once

#include <optional>
#include <vector>

#include "device/device.hpp"
#include "display/bundle.hpp"
#include "display/times.hpp"

namespace xcuda::display {

struct ArrayArgument {
  std::string parameter;  // "x"
  std::string array;      // "h_x"; empty when the argument is a part or a cast
  std::uint64_t bytes = 0;
  bool reads = false, writes = false;  // what the kernel's code may do with it
  std::uint64_t traffic() const { return (reads ? bytes : 0) + (writes ? bytes : 0); }
};

// A call of a library in the place of a kernel.
struct LibraryRun {
  std::string library;     // "cuBLASLt 13.1.0"
  std::string algorithm;   // empty where the library tells none
  std::string arithmetic;  // "bfloat16, sums in float"
  double operations = 0;   // floating-point, of one call
  double peak = 0;         // of the device in such arithmetic, a second; 0 when unknown
};

struct LaunchView {
  std::string kernel;  // as launched: "scale<double>"
  std::string source;  // "In[7]"
  int line = 0;
  std::optional<std::uint32_t> device;  // that ran it, of several
  device::Dim3 grid, block;
  std::optional<device::Dim3> cluster;
  std::uint64_t dynamic_shared = 0;  // bytes
  std::uint64_t graph_nodes = 0;     // of a graph that was launched as a whole; 0: a kernel
  std::optional<LibraryRun> library;
  std::vector<device::Nanoseconds> times;  // one for each timed run; empty when it was not timed
  std::uint64_t launches = 1;              // runs that this row counts, a loop's or --repeat's
  int warmup = 0;
  std::vector<ArrayArgument> arguments;  // each array once
  bool reaches_elsewhere = false;        // the kernel's code also accesses other memory
  std::optional<std::uint64_t> counted;  // bytes that a launch read and wrote, each once, where they were counted
  std::optional<device::FunctionInfo> function;
  std::optional<device::Occupancy> occupancy;
  std::vector<std::string> restored;  // arrays that were put back before each repetition
  std::vector<std::string> notes;
};

// The bytes that a launch moves: as counted, or the most that its code may read and write of its arrays. 0 where
// neither is known.
std::uint64_t traffic_of(const LaunchView& launch);

struct LaunchReport {
  std::vector<LaunchView> launches;
  std::string device;         // "NVIDIA H200"
  double peak_bandwidth = 0;  // bytes per second; 0 when unknown
};

Bundle launch_bundle(const LaunchReport& report);

}  // namespace xcuda::display
