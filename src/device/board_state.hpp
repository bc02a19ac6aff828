// What a GPU does beside the work of a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xcuda::device {

// How one GPU reaches another one of its machine.
struct BoardLink {
  std::string uuid;  // of the other
  int nvlinks = 0;   // of this GPU, where they lead there; 0: over PCIe
  // What the two have in common, if they are not joined by NVLinks.
  enum class Path : std::uint8_t { unknown, pcie_switch, host_bridge, numa_node, processors } path = Path::unknown;
};

// What a GPU does at the moment; 0 for unknown values.
struct BoardState {
  double clock_hz = 0, memory_clock_hz = 0;
  int temperature = 0;                // degrees Celsius
  double power = 0, power_limit = 0;  // watts
  std::string slowed_by;              // "power cap, temperature"; empty when nothing slows it
  std::uint64_t memory_errors = 0;    // errors that ECC could not correct, since the driver was loaded
  bool remap_pending = false;         // the next reset replaces rows of memory that have failed
  std::vector<BoardLink> links;       // to each other GPU of the list that it is in
};

}  // namespace xcuda::device
