#include "display/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace xcuda::display {
namespace {

constexpr std::string_view kNames[] = {"viridis", "magma", "turbo", "gray", "coolwarm"};

// Colours at equal distances along a map. viridis and magma: N. Smith, S. van der Walt, 2015. coolwarm: K. Moreland,
// "Diverging Color Maps for Scientific Visualization", 2009.
constexpr std::uint32_t kViridis[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                      0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
constexpr std::uint32_t kMagma[] = {0x000004, 0x1c1044, 0x4f127b, 0x812581, 0xb5367a,
                                    0xe55964, 0xfb8761, 0xfec287, 0xfcfdbf};
constexpr std::uint32_t kCoolwarm[] = {0x3b4cc0, 0x688aef, 0x99baff, 0xc9d8ef, 0xdddddd,
                                       0xedd1c2, 0xf7a889, 0xe26952, 0xb40426};

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

// A smooth curve through the anchors (Catmull and Rom), channel by channel.
Rgb between(std::span<const std::uint32_t> anchors, double at) {
  const double place = at * static_cast<double>(anchors.size() - 1);
  const auto last = static_cast<std::ptrdiff_t>(anchors.size()) - 1;
  const auto left = std::min(static_cast<std::ptrdiff_t>(place), last - 1);
  const double t = place - static_cast<double>(left);
  const auto channel = [&](int shift) {
    const auto anchor = [&](std::ptrdiff_t i) {
      // Beyond an end the curve goes on straight.
      if (i < 0) return 2.0 * ((anchors[0] >> shift) & 255) - ((anchors[1] >> shift) & 255);
      if (i > last)
        return 2.0 * ((anchors[static_cast<std::size_t>(last)] >> shift) & 255) -
               ((anchors[static_cast<std::size_t>(last) - 1] >> shift) & 255);
      return static_cast<double>((anchors[static_cast<std::size_t>(i)] >> shift) & 255);
    };
    const double a = anchor(left - 1), b = anchor(left), c = anchor(left + 1), d = anchor(left + 2);
    return byte_of(b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
  };
  return {channel(16), channel(8), channel(0)};
}

// A. Mikhailov's polynomials for turbo, 2019.
Rgb turbo(double x) {
  const auto polynomial = [x](const double(&c)[6]) {
    return byte_of(255 * (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))));
  };
  return {polynomial({0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943}),
          polynomial({0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604}),
          polynomial({0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973})};
}

Rgb colour_at(ColourMap map, double at) {
  switch (map) {
    case ColourMap::viridis: return between(kViridis, at);
    case ColourMap::magma: return between(kMagma, at);
    case ColourMap::turbo: return turbo(at);
    case ColourMap::gray: break;
    case ColourMap::coolwarm: return between(kCoolwarm, at);
  }
  const auto level = byte_of(at * 255);
  return {level, level, level};
}

}  // namespace

std::vector<std::string_view> colour_map_names() { return {std::begin(kNames), std::end(kNames)}; }

std::optional<ColourMap> find_colour_map(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<ColourMap>(i);
  return std::nullopt;
}

std::string_view name_of(ColourMap map) { return kNames[static_cast<std::size_t>(map)]; }

const ColourTable& colours_of(ColourMap map) {
  static const auto tables = [] {
    std::array<ColourTable, std::size(kNames)> made;
    for (std::size_t m = 0; m < made.size(); ++m)
      for (std::size_t i = 0; i < 256; ++i)
        made[m][i] = colour_at(static_cast<ColourMap>(m), static_cast<double>(i) / 255);
    return made;
  }();
  return tables[static_cast<std::size_t>(map)];
}

std::string hexadecimal(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::uint8_t Limits::index(double value) const {
  if (!(high > low)) return 128;
  return static_cast<std::uint8_t>(std::lround(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255));
}

}  // namespace xcuda::display
