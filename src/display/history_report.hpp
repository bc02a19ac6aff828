// How long the cells of a session took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "display/bundle.hpp"

namespace xcuda::display {

struct CellTime {
  std::string name;       // "In[14]"
  std::string text;       // its first line
  std::size_t lines = 1;  // all of them
  enum class Outcome : std::uint8_t { running, ran, failed } outcome = Outcome::ran;
  device::Nanoseconds took = 0;  // until the device was idle; 0 while it runs
  std::string before;            // the run before it of the same text, "In[12]"; empty when there is none
  device::Nanoseconds took_before = 0;
};

inline constexpr std::string_view kHistoryMime = "application/vnd.xcuda.history+json";

// "6 % slower than In[12]", "3.2 times as fast as In[12]", "as fast as In[12]" within 2 % or a tenth of a millisecond,
// which one run of a cell cannot tell from noise.
std::string change_text(const CellTime& cell);

Bundle history_bundle(const std::vector<CellTime>& cells);

}  // namespace xcuda::display
