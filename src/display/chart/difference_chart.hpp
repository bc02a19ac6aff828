// A picture of how far two arrays are apart.
#pragma once

#include <optional>

#include "display/chart/chart.hpp"
#include "display/difference_view.hpp"

namespace xcuda::display {

// The greatest |a - b| of each part: cells where the arrays have two dimensions or more, a line where they have one.
// Nothing where all elements are equal, or there are too few for a picture.
std::optional<Chart> difference_chart(const DifferenceView& view);

}  // namespace xcuda::display
