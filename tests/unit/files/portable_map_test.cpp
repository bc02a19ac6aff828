#include "files/portable_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

using namespace std::string_literals;

struct Image {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint32_t> samples;
};

Image read(const std::string& file) {
  PortableMapReader reader(std::as_bytes(std::span(file)), "out.ppm");
  std::vector<std::byte> bytes(reader.facts().bytes());
  reader.read(bytes);
  Image image{reader.facts().shape, {}};
  for (std::size_t i = 0; i < bytes.size(); i += reader.facts().type.size) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + i, reader.facts().type.size);
    image.samples.push_back(value);
  }
  return image;
}

TEST(PortableMap, EachKindOfFile) {
  const std::vector<std::uint64_t> kColours{1, 2, 3}, kGray{1, 2}, kBits{2, 10};
  auto image = read("P6 2 1 255\n\x01\x02\x03\x04\x05\x06");
  EXPECT_EQ(image.shape, kColours);
  EXPECT_EQ(image.samples, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read("P3\n# by a program\n2 1\n255\n1 2 3  4 5 6\n").samples, image.samples);
  image = read("P5\n2 1\n65535\n\x01\x02\xff\xff"s);
  EXPECT_EQ(image.shape, kGray);
  EXPECT_EQ(image.samples, (std::vector<std::uint32_t>{0x102, 0xffff}));
  EXPECT_EQ(read("P2 2 1 15 0 15").samples, (std::vector<std::uint32_t>{0, 255}));
  EXPECT_EQ(read("P1 2 1 0 1").samples, (std::vector<std::uint32_t>{255, 0}));
  EXPECT_EQ(read("P1 2 1 01").samples, (std::vector<std::uint32_t>{255, 0}));
  image = read("P4 10 2\n\x80\x00\x00\x40"s);
  EXPECT_EQ(image.shape, kBits);
  EXPECT_EQ(image.samples[0], 0);
  EXPECT_EQ(image.samples[1], 255);
  EXPECT_EQ(image.samples[19], 0);
}

TEST(PortableMap, WhatIsNoImageIsRefused) {
  for (const auto& file :
       {""s, "P7 1 1 255 x"s, "P6 2 1 255\n\x01\x02"s, "P6 0 1 255\n"s, "P6 2 1 70000\n123456123456"s,
        "P3 1 1 255 1 2"s, "P6 4000000000 4000000000 255\n"s, "P2 1 1 7 9"s, "P6 2"s})
    EXPECT_THROW(read(file), Error) << file;
}

}  // namespace
}  // namespace xcuda::files
