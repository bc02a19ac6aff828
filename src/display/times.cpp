#include "display/times.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace xcuda::display {

std::string distribution(const std::vector<device::Nanoseconds>& times) {
  static constexpr std::string_view kHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (times.size() < 8) return "";
  const auto [least, greatest] = std::minmax_element(times.begin(), times.end());
  const auto bins = std::min<std::size_t>(24, times.size() / 2);
  std::vector<std::size_t> counts(bins);
  const double width = static_cast<double>(*greatest - *least) + 1;
  for (const auto time : times)
    ++counts[static_cast<std::size_t>(static_cast<double>(time - *least) / width * static_cast<double>(bins))];
  const auto most = *std::max_element(counts.begin(), counts.end());
  std::string text;
  for (const auto count : counts) text += kHeights[(count * 8 + most - 1) / most];
  return text;
}

TimeSummary summarise(std::vector<device::Nanoseconds> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  // Linear interpolation between the neighbours, as NumPy's percentile.
  const auto quantile = [&](double fraction) {
    const double at = fraction * static_cast<double>(times.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, times.size() - 1);
    const double weight = at - static_cast<double>(below);
    return static_cast<double>(times[below]) * (1 - weight) + static_cast<double>(times[above]) * weight;
  };
  const double median = quantile(0.5);
  const double spread = median > 0 ? (quantile(0.75) - quantile(0.25)) / 2 / median : 0;
  return {median,        static_cast<double>(times.front()), static_cast<double>(times.back()), spread, quantile(0.05),
          quantile(0.95)};
}

double rank_test(const std::vector<device::Nanoseconds>& a, const std::vector<device::Nanoseconds>& b) {
  if (std::min(a.size(), b.size()) < kLeastRanked) return 1;
  std::vector<std::pair<device::Nanoseconds, bool>> all;  // with whether it is of a
  for (const auto time : a) all.emplace_back(time, true);
  for (const auto time : b) all.emplace_back(time, false);
  std::sort(all.begin(), all.end());
  double ranks = 0, ties = 0;  // the sum of a's ranks; equal times share the mean of theirs
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin, of_a = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) of_a += all[end].second ? 1 : 0;
    const auto equal = static_cast<double>(end - begin);
    ranks += static_cast<double>(of_a) * (static_cast<double>(begin + end) + 1) / 2;
    ties += equal * equal * equal - equal;
    begin = end;
  }
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), total = n + m;
  const double distance = std::abs(ranks - n * (n + 1) / 2 - n * m / 2);
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0 || distance <= 0.5) return 1;  // all times are equal, or nothing tells them apart
  return std::erfc((distance - 0.5) / std::sqrt(variance) / std::numbers::sqrt2);
}

Comparison compare(const std::vector<device::Nanoseconds>& a, const std::vector<device::Nanoseconds>& b) {
  if (std::min(a.size(), b.size()) < kLeastRanked) return Comparison::too_few;
  return rank_test(a, b) < 0.01 ? Comparison::different : Comparison::same;
}

}  // namespace xcuda::display
