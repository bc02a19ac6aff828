// Colours, PNG files, images, axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "display/chart/axis.hpp"
#include "display/chart/chart.hpp"
#include "display/image_view.hpp"
#include "tests/unit/display/decoded_png.hpp"

namespace xcuda::display {
namespace {

double lightness(Rgb colour) { return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue; }

TEST(Colours, OfSequentialMapsGrowLighter) {
  for (const auto map : {ColourMap::viridis, ColourMap::magma, ColourMap::gray}) {
    const auto& table = colours_of(map);
    for (std::size_t i = 8; i < table.size(); ++i)
      EXPECT_GE(lightness(table[i]), lightness(table[i - 8])) << name_of(map) << i;
    EXPECT_GT(lightness(table.back()) - lightness(table.front()), 150) << name_of(map);
  }
}

TEST(Colours, EndWhereTheMapsDo) {
  EXPECT_EQ(hexadecimal(colours_of(ColourMap::viridis).front()), "#440154");
  EXPECT_EQ(hexadecimal(colours_of(ColourMap::viridis).back()), "#fde725");
  EXPECT_EQ(hexadecimal(colours_of(ColourMap::gray)[128]), "#808080");
  const auto middle = colours_of(ColourMap::coolwarm)[128];
  EXPECT_LT(std::abs(middle.red - middle.blue), 12);
  for (const auto name : colour_map_names()) EXPECT_EQ(name_of(*find_colour_map(name)), name);
  EXPECT_FALSE(find_colour_map("jet"));
}

TEST(Limits, ClampAndAllowOneValue) {
  EXPECT_EQ((Limits{0, 10}.index(-5)), 0);
  EXPECT_EQ((Limits{0, 10}.index(5)), 128);
  EXPECT_EQ((Limits{0, 10}.index(50)), 255);
  EXPECT_EQ((Limits{3, 3}.index(3)), 128);
}

TEST(Png, ComesBackAsItWas) {
  for (const std::uint32_t channels : {1U, 3U, 4U}) {
    Pixels pixels{5, 3, channels, {}};
    for (std::uint32_t i = 0; i < 15 * channels; ++i) pixels.samples.push_back(static_cast<std::uint8_t>(i * 37));
    const auto back = decoded(encode_png(pixels));
    EXPECT_EQ(back.width, 5U);
    EXPECT_EQ(back.height, 3U);
    EXPECT_EQ(back.channels, channels);
    EXPECT_EQ(back.bits, 8U);
    ASSERT_EQ(back.samples.size(), pixels.samples.size());
    for (std::size_t i = 0; i < back.samples.size(); ++i)
      EXPECT_EQ(std::to_integer<int>(back.samples[i]), pixels.samples[i]);
  }
}

TEST(Png, OfAPaletteHasItsColours) {
  const Pixels pixels{3, 1, 1, {0, 1, 255}};
  const auto back = decoded(encode_png(pixels, colours_of(ColourMap::viridis)));
  ASSERT_EQ(back.channels, 4U);
  EXPECT_EQ(std::to_integer<int>(back.samples[3]), 0);  // index 0 is transparent
  EXPECT_EQ(std::to_integer<int>(back.samples[8]), 0xfd);
  EXPECT_EQ(std::to_integer<int>(back.samples[11]), 255);
}

// Noise and pictures are packed in different ways, and both come back; a picture is small.
TEST(Png, KeepsNoiseAndPictures) {
  Pixels noise{256, 256, 1, {}}, picture{256, 256, 1, {}};
  std::uint32_t state = 1;
  for (std::uint32_t i = 0; i < 256 * 256; ++i) {
    state = state * 1664525U + 1013904223U;
    noise.samples.push_back(static_cast<std::uint8_t>(state >> 24));
    picture.samples.push_back(static_cast<std::uint8_t>((i % 256 / 16 + i / 256 / 16) * 8));
  }
  for (const auto* pixels : {&noise, &picture}) {
    const auto back = decoded(encode_png(*pixels));
    ASSERT_EQ(back.samples.size(), pixels->samples.size());
    EXPECT_TRUE(std::equal(back.samples.begin(), back.samples.end(), pixels->samples.begin(),
                           [](std::byte a, std::uint8_t b) { return std::to_integer<std::uint8_t>(a) == b; }));
  }
  EXPECT_LT(encode_png(noise).size(), 256U * 256 * 33 / 32);
  EXPECT_LT(encode_png(picture).size(), 4096U);
}

ImageView numbers(std::uint32_t width, std::uint32_t height, std::vector<float> samples) {
  ImageView image;
  image.raster = {width, height, 1, std::move(samples)};
  return image;
}

TEST(Image, OfAChartHasOnlyTheColoursThatItShows) {
  const auto image = numbers(4, 1, {0, 1, NAN, 0.5F});
  const auto whole = image_png(image), used = image_png(image, Shades::used);
  EXPECT_EQ(decoded(used).samples, decoded(whole).samples);
  EXPECT_LT(used.size() + 3 * 200, whole.size());
}

TEST(Image, LimitsAreThoseOfFiniteSamples) {
  auto image = numbers(4, 1, {-1, 3, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()});
  EXPECT_EQ(limits_of(image).low, -1);
  EXPECT_EQ(limits_of(image).high, 3);
  image.map = ColourMap::coolwarm;
  EXPECT_EQ(limits_of(image).low, -3);
  image.low = 0;
  EXPECT_EQ(limits_of(image).low, 0);
  EXPECT_EQ(limits_of(numbers(0, 0, {})).high, 1);
}

TEST(Image, NanIsTransparentAndSmallOnesAreEnlarged) {
  auto image = numbers(2, 1, {std::numeric_limits<float>::quiet_NaN(), 1});
  image.zoom = 3;
  const auto png = decoded(image_png(image));
  EXPECT_EQ(png.width, 6U);
  EXPECT_EQ(png.height, 3U);
  EXPECT_EQ(std::to_integer<int>(png.samples[2 * 4 + 3]), 0);
  EXPECT_EQ(std::to_integer<int>(png.samples[3 * 4 + 3]), 255);
  image.zoom.reset();
  EXPECT_EQ(decoded(image_png(image)).width, 320U);
}

TEST(Image, ColoursAreShownAsTheyAre) {
  ImageView image;
  image.raster = {2, 1, 3, {0, 128, 255, 300, -4, 17}};
  image.full = 255;
  image.zoom = 1;
  const auto png = decoded(image_png(image));
  const int expected[] = {0, 128, 255, 255, 0, 17};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::to_integer<int>(png.samples[i]), expected[i]);
}

std::string ticks(const Axis& axis, int about) {
  std::string text;
  for (const auto& tick : axis.ticks(about)) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

TEST(AxisTicks, AreRound) {
  using enum Scale;
  EXPECT_EQ(ticks(Axis(linear, 0, 1, Axis::Room::none), 5), "0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(ticks(Axis(linear, 0, 1, Axis::Room::none), 5).find("e"), std::string::npos);
  EXPECT_EQ(ticks(Axis(linear, -3, 12, Axis::Room::none), 6), "0 5 10");
  EXPECT_EQ(ticks(Axis(linear, 0, 1e7, Axis::Room::none), 4), "0 5e6 1e7");
  EXPECT_EQ(ticks(Axis(linear, 1e-7, 3e-7, Axis::Room::none), 4), "1e-7 1.5e-7 2e-7 2.5e-7 3e-7");
  EXPECT_EQ(ticks(Axis(logarithmic, 1, 1000, Axis::Room::none), 6), "1 2 5 10 20 50 100 200 500 1,000");
  EXPECT_EQ(ticks(Axis(logarithmic, 1, 10000, Axis::Room::none), 6), "1 10 100 1,000 10,000");
  EXPECT_EQ(ticks(Axis(linear, 0, 1e6, Axis::Room::none), 4), "0 500,000 1,000,000");
  EXPECT_EQ(ticks(Axis(linear, -30000, 30000, Axis::Room::none), 4), "-20,000 0 20,000");
  EXPECT_EQ(ticks(Axis(logarithmic, 1, 1e12, Axis::Room::none), 4), "1 1,000 1e6 1e9 1e12");
  EXPECT_EQ(ticks(Axis(logarithmic, 0.1, 1, Axis::Room::none), 6), "0.1 0.2 0.5 1");
}

TEST(AxisTicks, SurviveAnyLimits) {
  constexpr double most = std::numeric_limits<double>::max();
  for (const auto& [low, high] :
       {std::pair{0.0, 0.0}, {5.0, 5.0}, {-most, most}, {1e-300, 2e-300}, {1e300, 1.0001e300}}) {
    const Axis axis(Scale::linear, low, high);
    EXPECT_LT(axis.low(), axis.high());
    EXPECT_LE(axis.ticks(6).size(), 50U);
    EXPECT_TRUE(std::isfinite(axis.at(low))) << low;
  }
}

Chart line_chart(std::vector<double> y) {
  Chart chart;
  Series series;
  for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  series.y = std::move(y);
  chart.series.push_back(std::move(series));
  return chart;
}

TEST(Charts, AreDrawnWithoutNumbers) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& values :
       {std::vector<double>{}, {nan, nan}, {1}, {1, nan, 2}, {std::numeric_limits<double>::infinity()}}) {
    auto chart = line_chart(values);
    for (const auto scale : {Scale::linear, Scale::logarithmic}) {
      chart.y_scale = scale;
      const auto svg = chart_svg(chart);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      EXPECT_FALSE(chart_text(chart).empty());
      EXPECT_TRUE(chart_vega(chart));
    }
  }
}

TEST(Charts, TextIsEscaped) {
  auto chart = line_chart({1, 2});
  chart.title = "a < b & \"c\"";
  const auto svg = chart_svg(chart);
  EXPECT_NE(svg.find("a &lt; b &amp;"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::display
