// The kernels of file 28, and what goes wrong with textures. How they are sampled is in
// tests/contract/texture_test.cpp.
#include <bit>

#include "tests/unit/device/cpu/device_fixture.hpp"
#include "tests/unit/device/cpu/random_numbers.hpp"

namespace xcuda::device::cpu {
namespace {

using Channel = TextureRequest::Channel;

class TextureKernels : public DeviceTest {
 protected:
  template <class T> TextureId texture(TextureRequest request, const Array<T>& array) {
    request.id = TextureId{++textures_};
    request.address = array.address;
    EXPECT_EQ(request.bytes(), array.count * sizeof(T));
    device_->create_texture(request);
    return request.id;
  }

 private:
  std::uint32_t textures_ = 0;
};

TEST_F(TextureKernels, SixReadsInOne) {
  load("28_texture");
  constexpr std::size_t w = 32, h = 16, d = 3;
  const auto colours = numbers<float>(w * h * 4, -1, 1, 1), block = numbers<float>(w * h * d, -1, 1, 2),
             row = numbers<float>(w, -1, 1, 3);
  const auto wrap = AddressMode::wrap;
  const TextureId t = texture({.width = w,
                               .height = h,
                               .channels = 4,
                               .address_mode = {wrap, wrap, wrap},
                               .filter = FilterMode::linear,
                               .normalized_coordinates = true},
                              make("t", colours));
  const TextureId t3 = texture({.width = w, .height = h, .depth = d, .filter = FilterMode::linear}, make("t3", block));
  const TextureId tl = texture({.width = w}, make("tl", row));
  const auto out = zeros<float>("o", w * h);
  launch("tex", {{3, 3}, {16, 8}}, t, t3, tl, out, static_cast<int>(w), static_cast<int>(h));
  const auto got = read(out);
  const auto colour = [&](std::size_t x, std::size_t y, std::size_t c) { return double{colours[(y * w + x) * 4 + c]}; };
  // Whole numbers of normalized coordinates are the corner, between the four that wrapping brings together.
  const auto corner = [&](std::size_t c) {
    return (colour(0, 0, c) + colour(w - 1, 0, c) + colour(0, h - 1, c) + colour(w - 1, h - 1, c)) / 4;
  };
  for (std::size_t y = 0; y < h; ++y)
    for (std::size_t x = 0; x < w; ++x) {
      const std::size_t left = x == 0 ? 0 : x - 1, above = y == 0 ? 0 : y - 1;
      const double between =
          (double{block[y * w + x]} + block[y * w + left] + block[above * w + x] + block[above * w + left]) / 4;
      const double wanted = colour(x, y, 0) + between + row[x] + corner(2) + corner(0) + row[0];
      ASSERT_NEAR(got[y * w + x], wanted, 1e-5) << x << ", " << y;
    }
}

TEST_F(TextureKernels, ASurfaceIsReadAndWritten) {
  load("28_texture");
  constexpr std::size_t w = 20, h = 9;
  std::vector<std::uint32_t> pixels;
  for (const float value : numbers<float>(w * h, 1, 100)) pixels.push_back(std::bit_cast<std::uint32_t>(value));
  const auto array = make("s", pixels);
  const TextureId s = texture({.width = w,
                               .height = h,
                               .channels = 4,
                               .channel_bits = 8,
                               .channel = Channel::unsigned_integer,
                               .surface = true},
                              array);
  launch("surf", {{2, 2}, {16, 8}}, s, static_cast<int>(w), static_cast<int>(h));
  const auto got = read(array);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::uint32_t inverted = (pixels[i] & ~0xffu) | (255 - (pixels[i] & 0xff));
    ASSERT_EQ(std::bit_cast<float>(got[i]), 2 * std::bit_cast<float>(inverted)) << i;
  }
}

TEST_F(TextureKernels, WhatDoesNotFitIsAFault) {
  load("28_texture");
  const auto array = zeros<float>("flat", 64);
  const auto flat = texture({.width = 8, .height = 8}, array);
  const auto line = texture({.width = 64}, array);
  const auto out = zeros<float>("o", 64);
  // t3 is to have three dimensions.
  const Fault fault = fault_of("tex", {{1}, {1}}, flat, flat, line, out, 1, 1);
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
  EXPECT_NE(fault.message.find("which is a texture of flat, which has two dimensions"), std::string::npos)
      << fault.message;
  EXPECT_EQ(fault.source, "In[28]");
  EXPECT_EQ(fault.line, 1);
}

TEST_F(TextureKernels, ATextureIsNoSurface) {
  load("28_texture");
  const auto flat = texture({.width = 8, .height = 8}, zeros<float>("flat", 64));
  const Fault fault = fault_of("surf", {{1}, {1}}, flat, 1, 1);
  EXPECT_NE(fault.message.find("which is a texture of flat"), std::string::npos) << fault.message;
}

TEST_F(TextureKernels, ASurfaceEnds) {
  load("28_texture");
  const auto s = texture({.width = 8,
                          .height = 8,
                          .channels = 4,
                          .channel_bits = 8,
                          .channel = Channel::unsigned_integer,
                          .surface = true},
                         zeros<std::uint32_t>("pixels", 64));
  const Fault fault = fault_of("surf", {{1}, {16, 1}}, s, 16, 1);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "pixels");
  EXPECT_NE(fault.message.find("at byte 32, row 0 of the surface of pixels, which has 32 bytes in a row, 8 rows"),
            std::string::npos)
      << fault.message;
  EXPECT_EQ(fault.thread->x, 8u);
}

TEST_F(TextureKernels, MemoryThatIsNotThereIsRefused) {
  TextureRequest request{
      .id = TextureId{1}, .address = device_->info().window.base + (std::uint64_t{1} << 38), .width = 8};
  EXPECT_THROW(device_->create_texture(request), Error);
}

}  // namespace
}  // namespace xcuda::device::cpu
