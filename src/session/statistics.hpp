// Minimum, maximum, mean and deviation of an array.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/type.hpp"
#include "display/array_view.hpp"
#include "xcuda/statistics.cuh"

namespace xcuda::session {

// As the device's kernels left them.
display::ArrayStatistics statistics_of(const StatisticsPart& whole, const Type& type);

// Of elements in pieces, in order. NaNs and infinities are counted and left out of the rest.
class StatisticsOfPieces {
 public:
  explicit StatisticsOfPieces(const Type& type) : type_(type) {}
  static bool has(const Type& type);  // one lane of a number
  void add(std::span<const std::byte> elements);
  display::ArrayStatistics result() const;

 private:
  void real(double value);
  Type type_;
  display::ArrayStatistics counts_;
  std::optional<double> least_, greatest_;
  std::optional<std::int64_t> least_signed_, greatest_signed_;
  std::optional<std::uint64_t> least_unsigned_, greatest_unsigned_;
  double count_ = 0, mean_ = 0, squares_ = 0;  // Welford
};

}  // namespace xcuda::session
