#include "display/palette.hpp"

namespace xcuda::display {

std::string_view series_colour(std::size_t index) {
  static constexpr std::string_view kSeries[kColours] = {"#3377bb", "#dd6622", "#669955", "#8822ee", "#119977",
                                                         "#bb77aa", "#bb3322", "#8866ee", "#777777", "#887711"};
  return kSeries[index % kColours];
}

}  // namespace xcuda::display
