// Colours that tell lines, bars and rows apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace xcuda::display {

// The number of colours. Their brightness is in the middle, so that each has a contrast of 3 with white and with
// JupyterLab's dark pages; the first eight also differ for readers who do not see red or green
// (tests/unit/display/palette_test.cpp computes both).
inline constexpr std::size_t kColours = 10;
std::string_view series_colour(std::size_t index);  // they begin again after the last

}  // namespace xcuda::display
