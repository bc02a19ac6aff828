#include "files/bitmap.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

using BitmapShape = std::vector<std::uint64_t>;

// A file of BITMAPINFOHEADER, or of `header` bytes, with what follows it.
struct Bitmap {
  std::int32_t width = 2, height = 2;
  std::uint32_t bits = 24, compression = 0, colours = 0;
  std::string after;   // palette or masks
  std::string pixels;  // with the rows' padding
  std::string file() const {
    std::string text = "BM";
    const auto add = [&](std::uint32_t value, int bytes) {
      for (int i = 0; i < bytes; ++i) text.push_back(i < 4 ? static_cast<char>(value >> 8 * i) : '\0');
    };
    add(0, 8), add(static_cast<std::uint32_t>(54 + after.size()), 4), add(40, 4);
    add(static_cast<std::uint32_t>(width), 4), add(static_cast<std::uint32_t>(height), 4);
    add(1, 2), add(bits, 2), add(compression, 4), add(0, 4), add(0, 8), add(colours, 4), add(0, 4);
    return text + after + pixels;
  }
};

struct BitmapImage {
  BitmapShape shape;
  std::vector<int> samples;
};
BitmapImage read_bitmap(const std::string& file) {
  BitmapReader reader(std::as_bytes(std::span(file)), "x.bmp");
  BitmapImage image{reader.facts().shape, {}};
  std::vector<std::byte> one(1);
  for (std::uint64_t i = 0; i < reader.facts().count(); ++i) {
    reader.read(one);
    image.samples.push_back(std::to_integer<int>(one[0]));
  }
  return image;
}
std::string bitmap_refusal(const std::string& file) {
  try {
    read_bitmap(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::value);
    return error.message;
  }
  return "";
}

using namespace std::string_literals;

TEST(Bitmap, EachDepth) {
  // Bottom row first, blue before red, rows of a multiple of 4 bytes.
  auto image = read_bitmap(Bitmap{.pixels = "\1\2\3\4\5\6\0\0\7\10\11\12\13\14\0\0"s}.file());
  EXPECT_EQ(image.shape, (BitmapShape{2, 2, 3}));
  EXPECT_EQ(image.samples, (std::vector<int>{9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
  image = read_bitmap(Bitmap{.height = -2, .pixels = "\1\2\3\4\5\6\0\0\7\10\11\12\13\14\0\0"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
  const auto gray = "\0\0\0\0\377\377\377\0"s, coloured = "\0\0\0\0\0\0\377\0"s;
  image = read_bitmap(
      Bitmap{.width = 10, .height = 1, .bits = 1, .colours = 2, .after = gray, .pixels = "\x80\x40\0\0"s}.file());
  EXPECT_EQ(image.shape, (BitmapShape{1, 10}));
  EXPECT_EQ(image.samples, (std::vector<int>{255, 0, 0, 0, 0, 0, 0, 0, 0, 255}));
  image = read_bitmap(
      Bitmap{.width = 3, .height = 1, .bits = 4, .colours = 2, .after = coloured, .pixels = "\x10\x10\0\0"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{255, 0, 0, 0, 0, 0, 255, 0, 0}));
  image = read_bitmap(
      Bitmap{.width = 2, .height = 1, .bits = 8, .colours = 2, .after = gray, .pixels = "\1\0\0\0"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{255, 0}));
  image = read_bitmap(Bitmap{.width = 1, .height = 1, .bits = 16, .pixels = "\x1f\x7c\0\0"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{255, 0, 255}));
  image = read_bitmap(Bitmap{.width = 1, .height = 1, .bits = 32, .pixels = "\1\2\3\4"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{3, 2, 1}));
  const auto masks = "\0\0\0\xff\0\0\xff\0\0\xff\0\0\xff\0\0\0"s;  // RGBA from the top, and alpha
  image = read_bitmap(
      Bitmap{.width = 1, .height = 1, .bits = 32, .compression = 6, .after = masks, .pixels = "\1\2\3\4"s}.file());
  EXPECT_EQ(image.samples, (std::vector<int>{4, 3, 2, 1}));
}

TEST(Bitmap, WhatLiesIsRefused) {
  const Bitmap whole{.pixels = std::string(16, '\1')};
  const auto file = whole.file();
  EXPECT_EQ(bitmap_refusal(file), "");
  for (std::size_t i = 0; i < file.size(); ++i) EXPECT_NE(bitmap_refusal(file.substr(0, i)), "") << i;
  EXPECT_NE(bitmap_refusal(Bitmap{.width = 0x7fffffff, .height = 0x7fffffff, .pixels = "x"}.file()).find("ends before"),
            std::string::npos);
  for (const std::int32_t height : {0, INT32_MIN})
    EXPECT_NE(bitmap_refusal(Bitmap{.height = height, .pixels = whole.pixels}.file()), "");
  EXPECT_NE(bitmap_refusal(Bitmap{.width = -2, .pixels = whole.pixels}.file()), "");
  EXPECT_NE(bitmap_refusal(Bitmap{.bits = 8, .compression = 1, .pixels = whole.pixels}.file()).find("compressed"),
            std::string::npos);
  EXPECT_NE(bitmap_refusal(Bitmap{.bits = 48, .pixels = whole.pixels}.file()).find("48 bits"), std::string::npos);
  EXPECT_NE(
      bitmap_refusal(
          Bitmap{.width = 1, .height = 1, .bits = 8, .colours = 1, .after = "\1\1\1\0"s, .pixels = "\2\0\0\0"s}.file())
          .find("has 1 colours"),
      std::string::npos);
  EXPECT_NE(bitmap_refusal(
                Bitmap{.bits = 32, .compression = 3, .after = std::string(12, '\0'), .pixels = whole.pixels}.file())
                .find("no bits"),
            std::string::npos);
}

}  // namespace
}  // namespace xcuda::files
