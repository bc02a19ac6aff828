// Numbers as colours: the maps that %image and %heatmap offer, as tables of 256 colours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::display {

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

enum class ColourMap : std::uint8_t { viridis, magma, turbo, gray, coolwarm };  // coolwarm diverges from the middle

std::vector<std::string_view> colour_map_names();
std::optional<ColourMap> find_colour_map(std::string_view name);
std::string_view name_of(ColourMap map);

using ColourTable = std::array<Rgb, 256>;
const ColourTable& colours_of(ColourMap map);

std::string hexadecimal(Rgb colour);  // "#440154"

// Where a value is between two limits, as an index of a ColourTable; equal limits give the middle.
struct Limits {
  double low = 0, high = 1;
  std::uint8_t index(double value) const;
};

}  // namespace xcuda::display
