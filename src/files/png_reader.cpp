#include "files/png_reader.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/input_file.hpp"
#include "base/units.hpp"

namespace xcuda::files {
namespace {

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

void ignore_warning(png_structp, png_const_charp) {}

[[noreturn]] void note_error(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

// Owns libpng's two structures.
struct Reader {
  explicit Reader(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, note_error, ignore_warning)),
        info(png_create_info_struct(png)) {
    png_set_read_fn(png, &source, take);
    png_set_chunk_cache_max(png, 32);  // of texts and the like; each may unpack to megabytes
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  png_structp png;
  png_infop info;
};

// libpng leaves these by longjmp: nothing in them has a destructor.
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
  return true;
}

bool begin_rows(const Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_row(const Reader& reader, png_bytep row) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_row(reader.png, row, nullptr);
  return true;
}

bool read_rows(const Reader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  return true;
}

// What the pixels take before they are packed, as the header says: rows of samples, each with a byte for its filter.
std::uint64_t unpacked_bytes(const Reader& reader) {
  const std::uint64_t width = png_get_image_width(reader.png, reader.info);
  const std::uint64_t bits =
      std::uint64_t{png_get_bit_depth(reader.png, reader.info)} * png_get_channels(reader.png, reader.info);
  return (width * bits / 8 + 1) * png_get_image_height(reader.png, reader.info);
}

}  // namespace

struct PngReader::State {
  std::string name;
  Source source;
  Reader reader;
  std::vector<std::byte> rows;  // one row, or all of an interlaced image; `taken` bytes are taken
  std::size_t taken = 0;

  State(std::span<const std::byte> file, std::string given)
      : name(std::move(given)), source{file, {}}, reader(source) {}
  Error refused(std::string why) const {
    return Error(ErrorKind::value, fmt::format("{} cannot be read as a PNG file", shown_path(name)))
        .said(std::move(why))
        .advise("Copy it again, or save it anew with %save or another program.");
  }
};

PngReader::PngReader(std::span<const std::byte> file, std::string name)
    : state_(std::make_unique<State>(file, std::move(name))) {
  auto& state = *state_;
  if (file.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) != 0)
    throw state.refused("it does not begin like one");
  if (!read_header(state.reader)) throw state.refused(state.source.message);
  // Deflate makes at most 1032 bytes of one.
  constexpr std::uint64_t kMostOfAByte = 1032;
  if (const auto pixels = unpacked_bytes(state.reader); pixels / kMostOfAByte > file.size())
    throw state.refused(fmt::format("it declares {} × {} pixels, which need {}, but its {} cannot hold that", width(),
                                    height(), format_bytes(pixels), format_bytes(file.size())));
  if (!begin_rows(state.reader)) throw state.refused(state.source.message);
}

PngReader::~PngReader() = default;

std::uint32_t PngReader::width() const { return png_get_image_width(state_->reader.png, state_->reader.info); }
std::uint32_t PngReader::height() const { return png_get_image_height(state_->reader.png, state_->reader.info); }
std::uint32_t PngReader::channels() const { return png_get_channels(state_->reader.png, state_->reader.info); }
std::uint32_t PngReader::bits() const { return png_get_bit_depth(state_->reader.png, state_->reader.info); }

void PngReader::next_row() {
  auto& state = *state_;
  const auto row = png_get_rowbytes(state.reader.png, state.reader.info);
  state.taken = 0;
  if (png_get_interlace_type(state.reader.png, state.reader.info) == PNG_INTERLACE_NONE) {
    state.rows.resize(row);
    if (!read_row(state.reader, reinterpret_cast<png_bytep>(state.rows.data())))
      throw state.refused(state.source.message);
    return;
  }
  const std::uint64_t all = std::uint64_t{row} * height();
  if (const auto memory = host_memory(); all > memory.available / 2)
    throw Error(ErrorKind::memory,
                fmt::format("{} is interlaced and needs {} to unpack", shown_path(state.name), format_bytes(all)))
        .said(fmt::format("{} of this machine's {} are available", format_bytes(memory.available),
                          format_bytes(memory.total)))
        .advise("Save it without interlacing: it can then be unpacked row by row.");
  state.rows.resize(all);
  std::vector<png_bytep> rows(height());
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = reinterpret_cast<png_bytep>(state.rows.data() + y * row);
  if (!read_rows(state.reader, rows.data())) throw state.refused(state.source.message);
}

void PngReader::read(std::span<std::byte> samples) {
  auto& state = *state_;
  while (!samples.empty()) {
    if (state.taken == state.rows.size()) next_row();
    const auto count = std::min(samples.size(), state.rows.size() - state.taken);
    std::memcpy(samples.data(), state.rows.data() + state.taken, count);
    state.taken += count;
    samples = samples.subspan(count);
  }
}

}  // namespace xcuda::files
