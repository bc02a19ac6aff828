#include "files/png_reader.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

struct Sample {
  std::uint32_t width = 4, height = 3;
  int bits = 8, colour = PNG_COLOR_TYPE_GRAY, interlace = PNG_INTERLACE_NONE;
};

std::uint8_t sample_at(std::size_t i) { return static_cast<std::uint8_t>(i * 37 + i / 256); }

// A file as another program would write it; bytes of a row in order are sample_at().
std::vector<std::byte> make_png(const Sample& sample) {
  std::vector<std::byte> file;
  auto* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  auto* info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp at, png_bytep bytes, std::size_t count) {
        auto& to = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(at));
        to.insert(to.end(), reinterpret_cast<std::byte*>(bytes), reinterpret_cast<std::byte*>(bytes) + count);
      },
      nullptr);
  png_set_IHDR(png, info, sample.width, sample.height, sample.bits, sample.colour, sample.interlace,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (sample.colour == PNG_COLOR_TYPE_PALETTE) {
    std::vector<png_color> colours(256);
    for (std::size_t i = 0; i < 256; ++i) colours[i] = {static_cast<png_byte>(i), 7, static_cast<png_byte>(255 - i)};
    png_set_PLTE(png, info, colours.data(), 256);
  }
  png_write_info(png, info);
  const auto row = png_get_rowbytes(png, info);
  std::vector<png_byte> bytes(row * sample.height);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = sample_at(i);
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < sample.height; ++y) rows.push_back(bytes.data() + y * row);
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

std::vector<std::byte> read_all(std::span<const std::byte> file, std::size_t step = 1'000'000) {
  PngReader reader(file, "x.png");
  std::vector<std::byte> samples(std::size_t{reader.width()} * reader.height() * reader.channels() * reader.bits() / 8);
  for (std::size_t at = 0; at < samples.size(); at += step)
    reader.read(std::span(samples).subspan(at, std::min(step, samples.size() - at)));
  return samples;
}

std::string refusal(std::span<const std::byte> file) {
  try {
    read_all(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::value);
    EXPECT_EQ(error.message, "\"x.png\" cannot be read as a PNG file");
    return error.library;
  }
  return "";
}

// The header with other extents; its checksum is made right.
std::vector<std::byte> with_extents(std::vector<std::byte> file, std::uint32_t width, std::uint32_t height) {
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) file[at + static_cast<std::size_t>(i)] = static_cast<std::byte>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  std::uint32_t sum = 0xffffffffu;
  for (std::size_t i = 12; i < 29; ++i) {
    sum ^= std::to_integer<std::uint32_t>(file[i]);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0u);
  }
  put(29, ~sum);
  return file;
}

TEST(PngReader, SamplesComeInPiecesOfAnySize) {
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7})
    for (const int colour : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA}) {
      const auto file = make_png({.width = 13, .height = 11, .colour = colour, .interlace = interlace});
      const auto whole = read_all(file);
      for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(std::to_integer<std::uint8_t>(whole[i]), sample_at(i));
      for (const std::size_t step : {1, 5, 64}) EXPECT_EQ(read_all(file, step), whole) << step;
    }
}

TEST(PngReader, SixteenBitsAreOfThisMachine) {
  const auto samples = read_all(make_png({.bits = 16}));
  EXPECT_EQ(std::to_integer<std::uint8_t>(samples[0]), sample_at(1));
  EXPECT_EQ(std::to_integer<std::uint8_t>(samples[1]), sample_at(0));
}

TEST(PngReader, FewBitsAndPalettesBecomeBytes) {
  const auto gray = make_png({.width = 8, .height = 1, .bits = 1});
  EXPECT_EQ(read_all(gray).size(), 8u);
  const auto palette = make_png({.width = 3, .height = 1, .colour = PNG_COLOR_TYPE_PALETTE});
  PngReader reader(palette, "x.png");
  EXPECT_EQ(reader.channels(), 3u);
  EXPECT_EQ(std::to_integer<int>(read_all(palette)[1]), 7);
}

TEST(PngReader, ABombIsRefusedByItsHeader) {
  const auto small = make_png({.width = 64, .height = 64});
  for (const auto& [width, height] : {std::pair{65536u, 65536u}, {1'000'000u, 1'000'000u}, {1u, 1'000'000u}}) {
    const auto why = refusal(with_extents(small, width, height));
    EXPECT_NE(why.find("cannot hold that"), std::string::npos) << why;
  }
  EXPECT_NE(refusal(with_extents(small, 0x7fffffff, 0x7fffffff)), "");  // libpng's own limit
  EXPECT_NE(refusal(with_extents(small, 0, 4)), "");
  EXPECT_NE(refusal(with_extents(small, 64, 65)), "");  // a row that is not there
  EXPECT_EQ(refusal(with_extents(small, 64, 64)), "");
}

TEST(PngReader, DamagedFilesAreErrors) {
  EXPECT_EQ(refusal({}), "it does not begin like one");
  const auto whole = make_png({.width = 64, .height = 64, .colour = PNG_COLOR_TYPE_RGB});
  for (std::size_t size = 0; size + 16 < whole.size(); size += 7)
    EXPECT_NE(refusal(std::span(whole).first(size)), "") << size;
  for (std::size_t i = 8; i < whole.size(); i += 3) {  // whatever comes of it is an error or an image
    auto changed = whole;
    changed[i] ^= std::byte{0x40};
    refusal(changed);
  }
}

}  // namespace
}  // namespace xcuda::files
