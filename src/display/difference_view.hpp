// How far two arrays are apart: the greatest errors, where they are, and a map of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "display/bundle.hpp"
#include "display/image_view.hpp"

namespace xcuda::display {

// An element and how large its error is.
struct WorstElement {
  double error = 0;
  std::uint64_t index = 0;  // linear, in row-major order
  std::string a, b;         // both values
};

struct DifferenceView {
  std::string a, b;  // as they were written
  std::string a_dtype, b_dtype;
  std::vector<std::uint64_t> shape;  // of both
  std::uint64_t elements = 0, different = 0;
  std::uint64_t not_finite = 0;                // different elements, one of them NaN or infinite
  std::optional<WorstElement> first_of_these;  // its error has no meaning
  std::optional<WorstElement> absolute;        // |a - b|
  std::optional<WorstElement> relative;        // |a - b| over the larger of both magnitudes
  std::optional<WorstElement> ulps;            // floating-point numbers between the two, of arrays of one type
  Raster worst;                                // the greatest |a - b| of each cell of a map; of a list a single row
  std::uint64_t side = 1;                      // elements along each side of a cell
};

inline constexpr std::string_view kDifferenceMime = "application/vnd.xcuda.difference+json";

Bundle difference_bundle(const DifferenceView& view);
}  // namespace xcuda::display
