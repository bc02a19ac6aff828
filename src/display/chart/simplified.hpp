// Lines with fewer points.
#pragma once

#include "display/chart/canvas.hpp"

namespace xcuda::display {

// The path without the points of its lines that lie within `tolerance` pixels of the line between those that stay
// (Douglas and Peucker, 1973). Ends, dots and bars stay.
Path simplified(const Path& path, double tolerance);

}  // namespace xcuda::display
