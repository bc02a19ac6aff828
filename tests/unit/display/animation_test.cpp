// APNG by its chunks: "PNG Specification (Third Edition)".
#include "display/animation.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "display/image_view.hpp"
#include "tests/unit/display/decoded_png.hpp"

namespace xcuda::display {
namespace {

PngFile frame(float value, std::uint32_t width = 8) {
  ImageView image{.name = "u", .dtype = "float32", .shape = {}, .raster = {width, 4, 1, {}}};
  image.raster.samples.assign(std::size_t{width} * 4, value);
  image.low = 0;
  image.high = 1;
  image.zoom = 1;
  return image_png(image);
}

std::uint32_t number_of(const std::string& bytes, std::size_t at, std::size_t count = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct TestChunk {
  std::string name, content;
};

// Each with a checksum that is right.
std::vector<TestChunk> chunks(const PngFile& file) {
  const std::string bytes(reinterpret_cast<const char*>(file.data()), file.size());
  std::vector<TestChunk> all;
  for (std::size_t at = 8; at < bytes.size();) {
    const auto length = number_of(bytes, at);
    EXPECT_LE(at + 12 + length, bytes.size());
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), length + 4);
    EXPECT_EQ(number_of(bytes, at + 8 + length), sum);
    all.push_back({bytes.substr(at + 4, 4), bytes.substr(at + 8, length)});
    at += 12 + length;
  }
  return all;
}

TEST(Animation, HasItsFramesInOrder) {
  const auto all = chunks(animated_png({.name = "u", .frames = {frame(0), frame(0.5F), frame(1)}, .each_second = 4}));
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(all[0].name, "IHDR");
  EXPECT_EQ(all[1].name, "acTL");
  EXPECT_EQ(number_of(all[1].content, 0), 3u);
  EXPECT_EQ(number_of(all[1].content, 4), 0u);  // for ever
  EXPECT_EQ(all.back().name, "IEND");
  std::uint32_t sequence = 0;
  int controls = 0, first_data = 0;
  for (const auto& chunk : all) {
    if (chunk.name == "fcTL") {
      ++controls;
      EXPECT_EQ(number_of(chunk.content, 0), sequence++);
      EXPECT_EQ(number_of(chunk.content, 4), 8u);
      EXPECT_EQ(number_of(chunk.content, 8), 4u);
      EXPECT_EQ(number_of(chunk.content, 20, 2), 250u);  // milliseconds
      EXPECT_EQ(number_of(chunk.content, 22, 2), 1000u);
    }
    if (chunk.name == "fdAT") {
      EXPECT_EQ(number_of(chunk.content, 0), sequence++);
      EXPECT_GT(controls, 1);
    }
    if (chunk.name == "IDAT") {
      ++first_data;
      EXPECT_EQ(controls, 1);
    }
  }
  EXPECT_EQ(controls, 3);
  EXPECT_GT(first_data, 0);
}

TEST(Animation, ItsFirstFrameIsAPictureForEveryReader) {
  const auto still = decoded(frame(0.5F)), moving = decoded(animated_png({.frames = {frame(0.5F), frame(1)}}));
  EXPECT_EQ(moving.samples, still.samples);
}

TEST(Animation, FramesFitIfTheyLookAlike) {
  EXPECT_TRUE(fits(frame(0), frame(1)));
  EXPECT_FALSE(fits(frame(0), frame(0, 9)));
}

TEST(Animation, SaysWhatItShows) {
  const auto bundle = animation_bundle({.name = "wave", .frames = {frame(0), frame(1)}, .shown = 4, .each_second = 10});
  EXPECT_TRUE(plain(bundle).starts_with("wave: 2 frames, 10 a second, ")) << plain(bundle);
  EXPECT_TRUE(plain(bundle).ends_with(", of 4 that were shown")) << plain(bundle);
  EXPECT_EQ(bundle.metadata["image/png"]["width"], 8);
  EXPECT_EQ(bundle.data[kAnimationMime]["frames"], 2);
}

}  // namespace
}  // namespace xcuda::display
