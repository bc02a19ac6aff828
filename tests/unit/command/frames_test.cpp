// src/command/draw/frames.cpp
#include "command/draw/frames.hpp"

#include <gtest/gtest.h>

#include "display/png.hpp"

namespace xcuda::command {
namespace {

display::PngFile frame(std::uint32_t width = 4) {
  return display::encode_png({width, 2, 1, std::vector<std::uint8_t>(std::size_t{width} * 2)});
}

TEST(Frames, ACellsImagesAreAFilm) {
  Frames frames;
  EXPECT_EQ(frames.find("a"), nullptr);
  for (int i = 0; i < 3; ++i) frames.add("a", "In[1]", frame());
  frames.add("b", "In[1]", frame());
  EXPECT_EQ(frames.find("a")->frames.size(), 3u);
  EXPECT_EQ(frames.ids(), (std::vector<std::string>{"a", "b"}));
}

TEST(Frames, AnotherCellOrSizeBeginsAnew) {
  Frames frames;
  frames.add("a", "In[1]", frame());
  frames.add("a", "In[2]", frame());
  EXPECT_EQ(frames.find("a")->frames.size(), 1u);
  frames.add("a", "In[2]", frame(5));
  EXPECT_EQ(frames.find("a")->frames.size(), 1u);
  EXPECT_EQ(frames.find("a")->shown, 1u);
}

TEST(Frames, TooManyAreThinnedOutEvenly) {
  Frames frames;
  const auto count = 4 * Frames::kMost;
  for (std::size_t i = 0; i < count; ++i) frames.add("a", "In[1]", frame());
  const auto* film = frames.find("a");
  EXPECT_LE(film->frames.size(), Frames::kMost);
  EXPECT_EQ(film->shown, count);
  EXPECT_EQ(film->frames.size(), (count + film->every - 1) / film->every);
}

}  // namespace
}  // namespace xcuda::command
