#include "display/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace xcuda::display {
namespace {

std::vector<std::byte> encode(const Pixels& pixels, png_uint_32 format, std::span<const png_byte> colours) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = pixels.width;
  image.height = pixels.height;
  image.format = format;
  // Level 3 without filters: twice the size of the best, a tenth of its time. An image is looked at once.
  image.flags = PNG_IMAGE_FLAG_FAST;
  image.colormap_entries = static_cast<png_uint_32>(colours.size() / 4);
  std::vector<std::byte> file(PNG_IMAGE_PNG_SIZE_MAX(image) + 4 * colours.size() + 1024);
  png_alloc_size_t size = file.size();
  const auto* map = colours.empty() ? nullptr : colours.data();
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels.samples.data(), 0, map) == 0)
    throw Error(ErrorKind::value, fmt::format("cannot write an image of {} × {} pixels", pixels.width, pixels.height))
        .said(image.message);
  file.resize(size);
  return file;
}

// Where libpng reads from, and what it said.
struct Source {
  std::span<const std::byte> left;
  std::string message;
};

void take(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (count > source.left.size()) png_error(png, "the file ends too early");
  std::memcpy(to, source.left.data(), count);
  source.left = source.left.subspan(count);
}

[[noreturn]] void note_error(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// Owns libpng's two structures.
struct Reader {
  explicit Reader(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, note_error, ignore_warning)),
        info(png_create_info_struct(png)) {
    png_set_read_fn(png, &source, take);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  png_structp png;
  png_infop info;
};

// libpng leaves these two by longjmp: nothing in them has a destructor.
bool read_header(const Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_info(reader.png, reader.info);
  const auto colour = png_get_color_type(reader.png, reader.info);
  const auto bits = png_get_bit_depth(reader.png, reader.info);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(reader.png);
  if (colour == PNG_COLOR_TYPE_GRAY && bits < 8) png_set_expand_gray_1_2_4_to_8(reader.png);
  if (png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(reader.png);
  if (bits == 16) png_set_swap(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(const Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  return true;
}

}  // namespace

std::vector<std::byte> encode_png(const Pixels& pixels) {
  const png_uint_32 format = pixels.channels == 1   ? PNG_FORMAT_GRAY
                             : pixels.channels == 3 ? PNG_FORMAT_RGB
                                                    : PNG_FORMAT_RGBA;
  return encode(pixels, format, {});
}

std::vector<std::byte> encode_png(const Pixels& pixels, std::span<const Rgb> palette) {
  std::vector<png_byte> colours;
  for (std::size_t i = 0; i < palette.size(); ++i)
    for (const int sample : {int{palette[i].red}, int{palette[i].green}, int{palette[i].blue}, i == 0 ? 0 : 255})
      colours.push_back(static_cast<png_byte>(sample));
  return encode(pixels, PNG_FORMAT_RGBA_COLORMAP, colours);
}

DecodedPng decode_png(std::span<const std::byte> file, std::string_view name) {
  const auto refused = [&](std::string why) {
    return Error(ErrorKind::value, fmt::format("\"{}\" cannot be read as a PNG file", name)).said(std::move(why));
  };
  if (file.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) != 0)
    throw refused("it does not begin as one");
  Source source{file, {}};
  Reader reader(source);
  if (!read_header(reader)) throw refused(source.message);
  DecodedPng image{png_get_image_width(reader.png, reader.info),
                   png_get_image_height(reader.png, reader.info),
                   png_get_channels(reader.png, reader.info),
                   png_get_bit_depth(reader.png, reader.info),
                   {}};
  const auto row = png_get_rowbytes(reader.png, reader.info);
  image.samples.resize(row * image.height);
  std::vector<png_bytep> rows(image.height);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = reinterpret_cast<png_bytep>(image.samples.data() + y * row);
  if (!read_rows(reader, rows.data())) throw refused(source.message);
  return image;
}

std::string base64(std::span<const std::byte> bytes) {
  static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  const auto at = [&](std::size_t i) { return i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0; };
  for (std::size_t i = 0, o = 0; i < bytes.size(); i += 3, o += 4) {
    const auto three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text[o] = kLetters[three >> 18];
    text[o + 1] = kLetters[three >> 12 & 63];
    if (i + 1 < bytes.size()) text[o + 2] = kLetters[three >> 6 & 63];
    if (i + 2 < bytes.size()) text[o + 3] = kLetters[three & 63];
  }
  return text;
}

}  // namespace xcuda::display
