// Colours that can be told apart and words that can be read, by numbers.
#include "display/palette.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>

#include "display/chart/chart.hpp"
#include "display/error_report.hpp"
#include "tests/unit/display/samples.hpp"

namespace xcuda::display {
namespace {

using Vector = std::array<double, 3>;

// "#3377bb" as linear red, green and blue.
Vector linear(std::string_view colour) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

double luminance(std::string_view colour) {
  const auto [r, g, b] = linear(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Of WCAG 2: from 1 to 21.
double contrast(std::string_view a, std::string_view b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

using Matrix = std::array<Vector, 3>;
// Machado, Oliveira and Fernandes, 2009: full protanopia and deuteranopia, of linear colours.
constexpr Matrix
    kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    kNoRed = {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    kNoGreen = {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

Vector lab(std::string_view colour, const Matrix& eye) {
  const auto from = linear(colour);
  Vector c{};
  for (std::size_t i = 0; i < 3; ++i)
    c[i] = std::clamp(eye[i][0] * from[0] + eye[i][1] * from[1] + eye[i][2] * from[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047),
               y = f(0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2]),
               z = f((0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(Palette, LinesAreSeenOnLightAndOnDarkPages) {
  for (std::size_t i = 0; i < kColours; ++i) {
    EXPECT_GE(contrast(series_colour(i), "#ffffff"), 3) << series_colour(i);
    EXPECT_GE(contrast(series_colour(i), "#111111"), 3) << series_colour(i);
  }
}

TEST(Palette, LinesAreApartForThoseWhoSeeNoRedOrNoGreen) {
  for (const auto& eye : {kNormal, kNoRed, kNoGreen})
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto a = lab(series_colour(i), eye), b = lab(series_colour(j), eye);
        EXPECT_GE(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 18) << series_colour(i) << series_colour(j);
      }
}

TEST(Contrast, WordsOfAChartReadOnItsPaper) {
  const auto svg = chart_svg(samples::lines());
  const std::regex fills("<(svg|text|rect)[^>]* fill=\"(#[0-9a-f]{6})\"");
  std::string paper, ink;
  for (std::sregex_iterator at(svg.begin(), svg.end(), fills), end; at != end; ++at)
    ((*at)[1] == "rect" ? paper : ink) = (*at)[2];
  ASSERT_FALSE(paper.empty());
  ASSERT_FALSE(ink.empty());
  EXPECT_GE(contrast(ink, paper), 4.5);
}

TEST(Contrast, WordsOfAChartInAPageHaveItsColour) {
  const auto vega = chart_vega(samples::lines());
  for (const auto* part : {"axis", "legend"}) EXPECT_EQ((*vega)["config"][part]["labelColor"], "currentColor") << part;
  EXPECT_EQ((*vega)["config"]["title"]["color"], "currentColor");
}

// The backgrounds of errors in JupyterLab 4: --jp-rendermime-error-background over the page.
constexpr std::string_view kErrorLight = "#ffdddd", kErrorDark = "#511f1b";

// One of the 6 × 6 × 6 of the 256.
std::string of_256(int number) {
  const auto level = [](int n) { return n == 0 ? 0 : 55 + 40 * n; };
  const int n = number - 16;
  return fmt::format("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6));
}

TEST(Contrast, OnlyCaretsOfAnErrorHaveAColour) {
  std::string text;
  for (const auto& line : render_error(samples::compile_error()).traceback) text += line + "\n";
  const std::regex piece("\x1b\\[([0-9;]*)m([^\x1b]*)");
  int coloured = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), piece), end; at != end; ++at) {
    const auto codes = (*at)[1].str(), words = (*at)[2].str();
    const auto colour = codes.find("38;5;");
    if (colour == codes.npos) {
      EXPECT_TRUE(std::regex_match(codes, std::regex("[0124]?"))) << codes;  // bold, dim, underlined, plain again
      continue;
    }
    ++coloured;
    EXPECT_EQ(words.find_first_not_of("^~ "), words.npos) << words;
    const auto seen = of_256(std::stoi(codes.substr(colour + 5)));
    EXPECT_GE(contrast(seen, kErrorLight), 3) << seen;
    EXPECT_GE(contrast(seen, kErrorDark), 3) << seen;
  }
  EXPECT_GT(coloured, 0);
}

}  // namespace
}  // namespace xcuda::display
