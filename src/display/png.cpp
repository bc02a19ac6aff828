#include "display/png.hpp"

#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace xcuda::display {
namespace {

void ignore_warning(png_structp, png_const_charp) {}

// What libpng said, and where it writes to.
struct Sink {
  std::vector<std::byte> file;
  std::string message;
};

struct Writer {
  explicit Writer(Sink& sink)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, note_write_error, ignore_warning)),
        info(png_create_info_struct(png)) {
    png_set_write_fn(png, &sink, put, nullptr);
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  [[noreturn]] static void note_write_error(png_structp png, png_const_charp message) {
    static_cast<Sink*>(png_get_error_ptr(png))->message = message;
    png_longjmp(png, 1);
  }
  static void put(png_structp png, png_bytep from, std::size_t count) {
    auto& file = static_cast<Sink*>(png_get_io_ptr(png))->file;
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    file.insert(file.end(), bytes, bytes + count);
  }

  png_structp png;
  png_infop info;
};

// Level 4 takes a third to a half of the time of level 6, for a tenth more bytes, and level 3 no less time. Small
// images are done at once in any case, and stay in a notebook.
constexpr int kQuick = 4, kSmallest = 9;

int level_for(const Pixels& pixels) {
  constexpr std::size_t kSmall = std::size_t{1} << 15;  // samples
  return pixels.samples.size() < kSmall ? kSmallest : kQuick;
}

struct Format {
  int colour_type = PNG_COLOR_TYPE_GRAY;
  std::span<const png_color> palette;  // its first colour is transparent
  int strategy = Z_DEFAULT_STRATEGY;
  int filter = PNG_FILTER_NONE;  // or the difference from the pixel before, or above
  int level = kQuick;
};

// libpng leaves it by longjmp: nothing in it has a destructor.
bool write_image(const Writer& to, const Pixels& pixels, const Format& format) {
  if (setjmp(png_jmpbuf(to.png)) != 0) return false;
  png_set_IHDR(to.png, to.info, pixels.width, pixels.height, 8, format.colour_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(to.png, format.level);
  png_set_compression_strategy(to.png, format.strategy);
  png_set_filter(to.png, PNG_FILTER_TYPE_BASE, format.filter);
  png_set_sRGB(to.png, to.info, PNG_sRGB_INTENT_PERCEPTUAL);
  const png_byte clear = 0;
  if (!format.palette.empty()) {
    png_set_PLTE(to.png, to.info, format.palette.data(), static_cast<int>(format.palette.size()));
    png_set_tRNS(to.png, to.info, &clear, 1, nullptr);
  }
  png_write_info(to.png, to.info);
  const std::size_t row = std::size_t{pixels.width} * pixels.channels;
  for (std::uint32_t y = 0; y < pixels.height; ++y) png_write_row(to.png, pixels.samples.data() + y * row);
  png_write_end(to.png, to.info);
  return true;
}

std::vector<std::byte> write(const Pixels& pixels, const Format& format) {
  Sink sink;
  sink.file.reserve(pixels.samples.size() + 4096);
  const Writer writer(sink);
  if (!write_image(writer, pixels, format))
    throw Error(ErrorKind::value, fmt::format("cannot write an image of {} × {} pixels", pixels.width, pixels.height))
        .said(sink.message);
  return std::move(sink.file);
}

// Some rows of a large image; of a small one all.
Pixels some_of(const Pixels& pixels) {
  const auto rows = std::clamp(pixels.height / 96, 1u, 4u) * 4;
  if (pixels.height < 8 * rows) return pixels;
  const std::size_t row = std::size_t{pixels.width} * pixels.channels;
  Pixels some{pixels.width, rows, pixels.channels, {}};
  for (std::uint32_t i = 0; i < rows; ++i) {
    const auto* from =
        pixels.samples.data() + (i / 4 * (pixels.height / 4) + i % 4) * row;  // four neighbours in four places
    some.samples.insert(some.samples.end(), from, from + row);
  }
  return some;
}

// Smooth images are differences from pixel to pixel, in a third of the bytes or less. In noise nothing is repeated, and
// to look for repetitions takes three times as long as all the rest.
std::vector<std::byte> encode(const Pixels& pixels, Format format) {
  const auto some = some_of(pixels);
  auto smooth = format, noise = format;
  smooth.filter = pixels.width == 1 ? PNG_FILTER_UP : PNG_FILTER_SUB;
  noise.strategy = Z_HUFFMAN_ONLY;
  const auto plain_size = write(some, format).size(), smooth_size = write(some, smooth).size();
  const auto little = plain_size / 32;
  if (smooth_size + little < plain_size)
    format = smooth;
  else if (write(some, noise).size() <= plain_size + little)
    format = noise;
  format.level = level_for(pixels);
  return write(pixels, format);
}

}  // namespace

std::vector<std::byte> encode_png(const Pixels& pixels) {
  const int type = pixels.channels == 1   ? PNG_COLOR_TYPE_GRAY
                   : pixels.channels == 3 ? PNG_COLOR_TYPE_RGB
                                          : PNG_COLOR_TYPE_RGB_ALPHA;
  return encode(pixels, {.colour_type = type, .palette = {}});
}

std::vector<std::byte> encode_png(const Pixels& pixels, std::span<const Rgb> palette) {
  std::vector<png_color> colours;
  for (const auto& colour : palette) colours.push_back({colour.red, colour.green, colour.blue});
  return encode(pixels, {.colour_type = PNG_COLOR_TYPE_PALETTE, .palette = colours});
}

}  // namespace xcuda::display
