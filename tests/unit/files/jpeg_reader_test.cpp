#include "files/jpeg_reader.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>  // after <cstdio>, which it takes for granted

#include "base/error.hpp"

namespace xcuda::files {
namespace {

struct JpegSample {
  std::uint32_t width = 50, height = 40;
  int channels = 3;
  bool progressive = false;
};

// A file as another program would write it.
std::vector<std::byte> make_jpeg(const JpegSample& sample) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = sample.width;
  jpeg.image_height = sample.height;
  jpeg.input_components = sample.channels;
  jpeg.in_color_space = sample.channels == 1 ? JCS_GRAYSCALE : sample.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (sample.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<JSAMPLE> row(std::size_t{sample.width} * static_cast<std::size_t>(sample.channels));
  for (std::uint32_t y = 0; y < sample.height; ++y) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<JSAMPLE>(i + y);
    auto* at = row.data();
    jpeg_write_scanlines(&jpeg, &at, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory);
  std::vector<std::byte> file(bytes, bytes + size);
  std::free(memory);
  return file;
}

std::vector<std::byte> read_jpeg(std::span<const std::byte> file, std::vector<std::uint64_t>* shape = nullptr) {
  JpegReader reader(file, "x.jpg");
  if (shape != nullptr) *shape = reader.facts().shape;
  std::vector<std::byte> samples(reader.facts().bytes());
  for (std::size_t at = 0; at < samples.size(); at += 77)
    reader.read(std::span(samples).subspan(at, std::min<std::size_t>(77, samples.size() - at)));
  return samples;
}

std::string jpeg_refusal(std::span<const std::byte> file) {
  try {
    read_jpeg(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::value);
    EXPECT_EQ(error.message, "\"x.jpg\" cannot be read as a JPEG file");
    return error.library;
  }
  return "";
}

TEST(JpegReader, GrayColourAndProgressive) {
  for (const int channels : {1, 3}) {
    const auto plain = make_jpeg({.channels = channels});
    std::vector<std::uint64_t> shape;
    const auto samples = read_jpeg(plain, &shape);
    EXPECT_EQ(shape.size(), channels == 1 ? 2u : 3u);
    EXPECT_EQ(shape[0], 40u);
    EXPECT_EQ(shape[1], 50u);
    if (channels == 1) {
      EXPECT_NEAR(std::to_integer<int>(samples[50 * 20 + 10]), 30, 3);
    }
    EXPECT_EQ(read_jpeg(make_jpeg({.channels = channels, .progressive = true})), samples);
  }
  EXPECT_NE(jpeg_refusal(make_jpeg({.channels = 4})).find("CMYK"), std::string::npos);
}

TEST(JpegReader, EveryShorterFileIsRefused) {
  for (const bool progressive : {false, true}) {
    const auto file = make_jpeg({.channels = 1, .progressive = progressive});
    for (std::size_t i = 0; i + 2 < file.size(); ++i) EXPECT_NE(jpeg_refusal(std::span(file).first(i)), "") << i;
  }
  EXPECT_NE(jpeg_refusal(std::as_bytes(std::span("not a JPEG file"))), "");
}

TEST(JpegReader, AHeaderThatLiesIsRefused) {
  auto file = make_jpeg({.channels = 1});
  std::size_t frame = 0;
  while (file[frame] != std::byte{0xff} || file[frame + 1] != std::byte{0xc0}) ++frame;
  for (std::size_t i = 5; i < 9; ++i) file[frame + i] = std::byte{0xf0};  // height and width
  EXPECT_NE(jpeg_refusal(file).find("cannot hold that"), std::string::npos);
  file[frame + 5] = std::byte{0};
  file[frame + 6] = std::byte{60};
  file[frame + 7] = std::byte{0};
  file[frame + 8] = std::byte{50};
  EXPECT_NE(jpeg_refusal(file), "");  // 60 rows of which 40 are there
}

}  // namespace
}  // namespace xcuda::files
