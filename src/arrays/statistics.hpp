// Minimum, maximum, mean and deviation of an array.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "arrays/operations.hpp"
#include "arrays/pointer.hpp"
#include "base/type.hpp"
#include "display/array_view.hpp"
#include "xcuda/statistics.cuh"

namespace xcuda::arrays {

// The statistics of elements, or of one member of vectors, from what the device's kernels left.
display::ArrayStatistics statistics_of(const StatisticsPart& whole, const Type& type);

// Statistics of elements that come in pieces, in order. NaNs and infinities are counted and left out of the rest.
class StatisticsOfPieces {
 public:
  explicit StatisticsOfPieces(const Type& type) : type_(type) {}
  void add(std::span<const std::byte> elements);
  display::ArrayStatistics result() const;

 private:
  void real(double value);
  void complex(std::span<const std::byte> bytes);
  Type type_;
  display::ArrayStatistics counts_;
  std::optional<double> least_, greatest_;
  std::optional<std::int64_t> least_signed_, greatest_signed_;
  std::optional<std::uint64_t> least_unsigned_, greatest_unsigned_;
  double count_ = 0, mean_ = 0, imaginary_ = 0, squares_ = 0;  // Welford
};

// The statistics of `count` elements, or of each member of vectors; empty for types without statistics.
std::vector<display::ArrayStatistics> statistics_of(Operations& operations, const Pointer& pointer,
                                                    std::uint64_t count);

// Whether a type has statistics: numbers of one lane; complex ones by their magnitudes.
bool has_statistics(const Type& type);

}  // namespace xcuda::arrays
