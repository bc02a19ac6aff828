// Images that are written, as the readers see them.
#include "files/image_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "files/array_writer.hpp"

namespace xcuda::files {
namespace {

using ImageShape = std::vector<std::uint64_t>;

class ImageWriting : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& path : made_) std::filesystem::remove(path);
  }
  std::vector<std::byte> samples(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
    return bytes;
  }
  // Written in pieces that end inside rows; read in others.
  std::vector<std::byte> through(const std::string& ending, const Type& type, const ImageShape& shape,
                                 std::span<const std::byte> bytes) {
    const auto path = "image_writer_test." + std::to_string(getpid()) + ending;
    made_.push_back(path);
    ArrayWriter writer(path, {type, shape});
    for (std::size_t at = 0; at < bytes.size(); at += 10)
      writer.write(bytes.subspan(at, std::min<std::size_t>(10, bytes.size() - at)));
    writer.commit();
    const auto reader = make_array_reader({.kind = file_kind(path)}, InputFile(path));
    auto extents = shape;
    if (extents.size() == 3 && extents[2] == 1) extents.pop_back();
    if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));
    EXPECT_EQ(reader->facts().shape, extents) << ending;
    EXPECT_EQ(reader->facts().type.scalar, type.scalar) << ending;
    std::vector<std::byte> back(reader->facts().bytes());
    const std::size_t step = 6;
    for (std::size_t at = 0; at < back.size(); at += step)
      reader->read(std::span(back).subspan(at, std::min(step, back.size() - at)));
    return back;
  }
  static std::string refusal(const std::string& path, const Type& type, const ImageShape& shape) {
    try {
      image_layout(path, type, shape);
    } catch (const Error& error) {
      EXPECT_FALSE(error.advice.empty());
      return error.message;
    }
    return "";
  }
  std::vector<std::string> made_;
};

TEST_F(ImageWriting, WhatIsWrittenIsRead) {
  struct Case {
    const char* ending;
    Scalar scalar;
    ImageShape shape;
  };
  for (const auto& one : {Case{".png", Scalar::uint8, {5, 7}}, Case{".png", Scalar::uint8, {5, 7, 2}},
                          Case{".png", Scalar::uint8, {5, 7, 3}}, Case{".PNG", Scalar::uint8, {5, 7, 4}},
                          Case{".png", Scalar::uint16, {5, 7}}, Case{".png", Scalar::uint16, {5, 7, 3}},
                          Case{".png", Scalar::uint8, {1, 1, 1}}, Case{".bmp", Scalar::uint8, {5, 7}},
                          Case{".bmp", Scalar::uint8, {5, 7, 3}}, Case{".bmp", Scalar::uint8, {5, 7, 4}},
                          Case{".pgm", Scalar::uint8, {5, 7}}, Case{".pgm", Scalar::uint16, {5, 7}},
                          Case{".ppm", Scalar::uint8, {5, 7, 3}}, Case{".ppm", Scalar::uint16, {5, 7, 3}},
                          Case{".pnm", Scalar::uint8, {5, 7}}, Case{".pnm", Scalar::uint8, {5, 7, 3}}}) {
    std::size_t bytes = size_of(one.scalar);
    for (const auto extent : one.shape) bytes *= extent;
    const auto image = samples(bytes);
    EXPECT_EQ(through(one.ending, type_of(one.scalar), one.shape, image), image)
        << one.ending << " " << one.shape.size();
  }
  const auto image = samples(5 * 7 * 4);
  EXPECT_EQ(through(".png", *find_type("uchar4"), {5, 7}, image), image);
}

TEST_F(ImageWriting, JpegIsNearlyTheSame) {
  for (const std::uint64_t channels : {1, 3}) {
    std::vector<std::byte> image;
    for (std::uint64_t y = 0; y < 40; ++y)
      for (std::uint64_t x = 0; x < 50; ++x)
        for (std::uint64_t c = 0; c < channels; ++c) image.push_back(static_cast<std::byte>(3 * x + 2 * y + 10 * c));
    const ImageShape shape = channels == 1 ? ImageShape{40, 50} : ImageShape{40, 50, 3};
    const auto back = through(".jpg", type_of(Scalar::uint8), shape, image);
    for (std::size_t i = 0; i < image.size(); ++i)
      ASSERT_NEAR(std::to_integer<int>(back[i]), std::to_integer<int>(image[i]), 6) << i;
  }
}

TEST_F(ImageWriting, WhatIsNotAnImageIsRefused) {
  const auto bytes = type_of(Scalar::uint8);
  EXPECT_EQ(refusal("x.png", type_of(Scalar::float32), {2, 2}),
            "the samples of a .png file are unsigned char or unsigned short, but the elements are float");
  EXPECT_EQ(refusal("x.jpg", type_of(Scalar::uint16), {2, 2}),
            "the samples of a .jpg file are unsigned char, but the elements are unsigned short");
  EXPECT_EQ(refusal("x.jpg", bytes, {2, 2, 4}),
            "a .jpg file holds [rows][columns], [rows][columns][3], but the shape is 2 × 2 × 4");
  EXPECT_EQ(refusal("x.PGM", bytes, {2, 2, 3}), "a .pgm file holds [rows][columns], but the shape is 2 × 2 × 3");
  EXPECT_EQ(refusal("x.ppm", bytes, {2, 2}), "a .ppm file holds [rows][columns][3], but the shape is 2 × 2");
  for (const auto& shape :
       {ImageShape{4}, ImageShape{2, 2, 5}, ImageShape{2, 2, 2, 2}, ImageShape{2, 2, 11}, ImageShape{2, 70'000'000}})
    EXPECT_NE(refusal("x.png", bytes, shape), "");
  EXPECT_NE(refusal("x.jpeg", bytes, {2, 70'000}), "");
}

}  // namespace
}  // namespace xcuda::files
