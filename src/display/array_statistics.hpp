// Facts about an array beyond its single elements.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/type.hpp"

namespace xcuda::display {

using Number = std::variant<double, std::int64_t, std::uint64_t>;  // so that 64-bit integers stay exact

// Over all elements; min, max, mean and std without NaNs and infinities. A complex number is NaN or infinite when one
// of its parts is, and has no order: min and max are those of the magnitudes.
struct ArrayStatistics {
  std::optional<Number> min, max;  // absent when no element is finite
  std::optional<double> mean, std;
  double imaginary = 0;  // of the mean
  std::uint64_t nans = 0, infinities = 0;
};

// The statistics of an array: one; for a vector type one for each member; none for elements that are not numbers.
struct KnownStatistics {
  const Type& type;
  std::uint64_t count;  // of elements
  const std::vector<ArrayStatistics>& members;
};

// "min 0.0", "max 1.0", "mean (0.5, 2)", "3 NaN": what is known.
std::vector<std::string> statistics_texts(const KnownStatistics& known);

// An object; for a vector type a list of objects.
nlohmann::json statistics_json(const KnownStatistics& known);

nlohmann::json real_json(double value);  // a number, or the text "nan", "inf" or "-inf"

}  // namespace xcuda::display
