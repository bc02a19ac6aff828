// Statistics of measured times: where most of them lie, and whether two lists of them differ.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"

namespace xcuda::display {

// Middle value (the mean of the two middle ones), least, greatest, and half the distance between the quartiles over
// the median. Nine of ten times are between low and high.
struct TimeSummary {
  double median = 0, minimum = 0, maximum = 0, spread = 0;
  double low = 0, high = 0;  // the 5th and the 95th percentile
};
TimeSummary summarise(std::vector<device::Nanoseconds> times);

// The frequency of times, from the least to the greatest: "▂█▃ ▁". Empty for fewer than eight.
std::string distribution(const std::vector<device::Nanoseconds>& times);

// The rank test of Mann and Whitney: how probable it is that two lists of times that only noise tells apart differ as
// much as these do. By the normal approximation with corrections for ties and continuity; 1 where either list has
// fewer than kLeastRanked times, which can prove nothing.
inline constexpr std::size_t kLeastRanked = 6;
double rank_test(const std::vector<device::Nanoseconds>& a, const std::vector<device::Nanoseconds>& b);

// The result of the test, at a level of 1 in 100.
enum class Comparison : std::uint8_t { too_few, same, different };
Comparison compare(const std::vector<device::Nanoseconds>& a, const std::vector<device::Nanoseconds>& b);

}  // namespace xcuda::display
