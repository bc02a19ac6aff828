#include "files/image_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <jpeglib.h>  // after <cstdio>, which it takes for granted

#include "base/error.hpp"
#include "base/input_file.hpp"

namespace xcuda::files {
namespace {

// 16 bits in the files' byte order, the largest first.
void swap_samples(std::vector<std::byte>& row) {
  for (std::size_t i = 0; i + 1 < row.size(); i += 2) std::swap(row[i], row[i + 1]);
}

// Owns libpng's two structures.
struct PngTarget {
  PngTarget(png_voidp owner, png_error_ptr fail, png_error_ptr warn)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, owner, fail, warn)), info(png_create_info_struct(png)) {}
  ~PngTarget() { png_destroy_write_struct(&png, &info); }
  PngTarget(const PngTarget&) = delete;
  PngTarget& operator=(const PngTarget&) = delete;
  png_structp png;
  png_infop info;
};

class PngEncoder final : public ImageEncoder {
 public:
  PngEncoder(const ImageLayout& layout, OutputFile& file) : file_(file), to_(this, fail, ignore) {
    png_set_write_fn(to_.png, this, take, nullptr);
    if (!begin(layout)) refuse();
    flush();
  }
  void put(std::span<const std::byte> row) override {
    if (!write_row(reinterpret_cast<png_const_bytep>(row.data()))) refuse();
    flush();
  }
  void end() override {
    if (!finish()) refuse();
    flush();
  }

 private:
  static void ignore(png_structp, png_const_charp) {}
  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    static_cast<PngEncoder*>(png_get_error_ptr(png))->message_ = message;
    png_longjmp(png, 1);
  }
  static void take(png_structp png, png_bytep from, std::size_t count) {
    auto& made = static_cast<PngEncoder*>(png_get_io_ptr(png))->made_;
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    made.insert(made.end(), bytes, bytes + count);
  }
  [[noreturn]] void refuse() const { throw Error(ErrorKind::value, "cannot write a PNG image").said(message_); }
  void flush() {
    file_.write(made_);
    made_.clear();
  }
  // libpng leaves these by longjmp: nothing in them has a destructor.
  bool begin(const ImageLayout& layout) {
    if (setjmp(png_jmpbuf(to_.png)) != 0) return false;
    constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_IHDR(to_.png, to_.info, layout.width, layout.height, static_cast<int>(layout.bits),
                 kTypes[layout.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(to_.png, 3);  // as display/png, but with filters: photographs are saved, too
    png_write_info(to_.png, to_.info);
    if (layout.bits == 16) png_set_swap(to_.png);
    return true;
  }
  bool write_row(png_const_bytep row) {
    if (setjmp(png_jmpbuf(to_.png)) != 0) return false;
    png_write_row(to_.png, row);
    return true;
  }
  bool finish() {
    if (setjmp(png_jmpbuf(to_.png)) != 0) return false;
    png_write_end(to_.png, to_.info);
    return true;
  }

  OutputFile& file_;
  std::vector<std::byte> made_;
  std::string message_;
  PngTarget to_;
};

// What libjpeg is given: its managers, where bytes go, and where it leaves to.
struct JpegTarget {
  jpeg_error_mgr errors{};
  jpeg_destination_mgr bytes{};
  std::jmp_buf to{};
  std::string message;
  std::array<JOCTET, 65536> buffer{};
  std::vector<std::byte> made;
  jpeg_compress_struct jpeg{};
  JpegTarget() = default;
  ~JpegTarget() { jpeg_destroy_compress(&jpeg); }
  JpegTarget(const JpegTarget&) = delete;
  JpegTarget& operator=(const JpegTarget&) = delete;
};

class JpegEncoder final : public ImageEncoder {
 public:
  JpegEncoder(const ImageLayout& layout, OutputFile& file) : file_(file) {
    jpeg_.err = jpeg_std_error(&target_.errors);
    target_.errors.error_exit = fail;
    jpeg_.client_data = &target_;
    target_.bytes.init_destination = refill;
    target_.bytes.empty_output_buffer = [](j_compress_ptr jpeg) -> boolean {
      take(jpeg, 0);
      refill(jpeg);
      return TRUE;
    };
    target_.bytes.term_destination = [](j_compress_ptr jpeg) { take(jpeg, jpeg->dest->free_in_buffer); };
    if (!begin(layout)) refuse();
  }
  void put(std::span<const std::byte> row) override {
    // It takes what it only reads by a pointer to what may change.
    if (!write_row(reinterpret_cast<JSAMPLE*>(const_cast<std::byte*>(row.data())))) refuse();
    flush();
  }
  void end() override {
    if (!finish()) refuse();
    flush();
  }

 private:
  static JpegTarget& target_of(j_compress_ptr jpeg) { return *static_cast<JpegTarget*>(jpeg->client_data); }
  [[noreturn]] static void fail(j_common_ptr jpeg) {
    auto& target = *static_cast<JpegTarget*>(jpeg->client_data);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    target.message = text;
    std::longjmp(target.to, 1);
  }
  static void refill(j_compress_ptr jpeg) {
    auto& target = target_of(jpeg);
    target.bytes.next_output_byte = target.buffer.data();
    target.bytes.free_in_buffer = target.buffer.size();
  }
  static void take(j_compress_ptr jpeg, std::size_t unused) {
    auto& target = target_of(jpeg);
    const auto* bytes = reinterpret_cast<const std::byte*>(target.buffer.data());
    target.made.insert(target.made.end(), bytes, bytes + target.buffer.size() - unused);
  }
  [[noreturn]] void refuse() const { throw Error(ErrorKind::value, "cannot write a JPEG image").said(target_.message); }
  void flush() {
    file_.write(target_.made);
    target_.made.clear();
  }
  // libjpeg leaves these by longjmp: nothing in them has a destructor.
  bool begin(const ImageLayout& layout) {
    if (setjmp(target_.to) != 0) return false;
    jpeg_create_compress(&jpeg_);
    jpeg_.dest = &target_.bytes;
    jpeg_.image_width = layout.width;
    jpeg_.image_height = layout.height;
    jpeg_.input_components = static_cast<int>(layout.channels);
    jpeg_.in_color_space = layout.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    jpeg_set_quality(&jpeg_, 95, TRUE);
    jpeg_start_compress(&jpeg_, TRUE);
    return true;
  }
  bool write_row(JSAMPLE* row) {
    if (setjmp(target_.to) != 0) return false;
    jpeg_write_scanlines(&jpeg_, &row, 1);
    return true;
  }
  bool finish() {
    if (setjmp(target_.to) != 0) return false;
    jpeg_finish_compress(&jpeg_);
    return true;
  }

  OutputFile& file_;
  JpegTarget target_;
  jpeg_compress_struct& jpeg_ = target_.jpeg;
};

// From the bottom row, as all programs read them; gray has a palette, and RGBA masks (BITMAPV4HEADER).
class BitmapEncoder final : public ImageEncoder {
 public:
  BitmapEncoder(const ImageLayout& layout, OutputFile& file)
      : layout_(layout), file_(file), row_((layout.row() + 3) / 4 * 4), left_(layout.height) {
    const bool alpha = layout.channels == 4;
    const std::uint32_t header = alpha ? 108 : 40, colours = layout.channels == 1 ? 256 : 0;
    start_ = 14 + header + 4 * colours;
    text_ = "BM";
    const auto bytes = start_ + row_.size() * layout.height;
    number(bytes > UINT32_MAX ? 0 : bytes, 4);
    number(0, 4);
    number(start_, 4);
    number(header, 4);
    number(layout.width, 4);
    number(layout.height, 4);
    number(1, 2);
    number(8 * layout.channels, 2);
    number(alpha ? 3 : 0, 4);
    number(0, 4);
    for (int i = 0; i < 2; ++i) number(2835, 4);  // 72 dots an inch, in dots a metre
    number(colours, 4);
    number(0, 4);
    if (alpha) {
      for (const auto mask : {0xff0000U, 0xff00U, 0xffU, 0xff000000U}) number(mask, 4);
      number(0x73524742, 4);  // sRGB
      text_.append(48, '\0');
    }
    for (std::uint32_t i = 0; i < colours; ++i) number(i * 0x10101, 4);
    file_.write(text_);
  }
  void put(std::span<const std::byte> row) override {
    std::memcpy(row_.data(), row.data(), row.size());
    if (layout_.channels >= 3)
      for (std::size_t i = 0; i < row.size(); i += layout_.channels) std::swap(row_[i], row_[i + 2]);
    file_.write_at(start_ + --left_ * row_.size(), row_);
  }

 private:
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_.push_back(static_cast<char>(value >> 8 * i));
  }
  ImageLayout layout_;
  OutputFile& file_;
  std::string text_;
  std::vector<std::byte> row_;
  std::uint64_t start_ = 0, left_ = 0;
};

class PortableMapEncoder final : public ImageEncoder {
 public:
  PortableMapEncoder(const ImageLayout& layout, OutputFile& file) : wide_(layout.bits == 16), file_(file) {
    file_.write(fmt::format("P{}\n{} {}\n{}\n", layout.channels == 1 ? 5 : 6, layout.width, layout.height,
                            wide_ ? 65535 : 255));
  }
  void put(std::span<const std::byte> row) override {
    if (!wide_) return file_.write(row);
    row_.assign(row.begin(), row.end());
    swap_samples(row_);
    file_.write(row_);
  }

 private:
  bool wide_ = false;
  OutputFile& file_;
  std::vector<std::byte> row_;
};

// What a file of this ending can hold.
struct ImageRules {
  std::string_view ending, channels;  // each digit a number of channels
  std::uint32_t most_bits, most_pixels;
};
ImageRules rules_of(FileKind kind, const std::string& path) {
  switch (kind) {
    case FileKind::jpeg: return {".jpg", "13", 8, 65500};
    case FileKind::bitmap: return {".bmp", "134", 8, 0x7fffffff};
    case FileKind::portable_map: {
      const auto letter = path[path.size() - 2] | 0x20;
      if (letter == 'g') return {".pgm", "1", 16, 0x7fffffff};
      if (letter == 'p') return {".ppm", "3", 16, 0x7fffffff};
      return {".pnm", "13", 16, 0x7fffffff};
    }
    default: return {".png", "1234", 16, 1'000'000};  // what libpng reads without being told
  }
}

}  // namespace

ImageLayout image_layout(const std::string& path, const Type& type, const std::vector<std::uint64_t>& shape) {
  const auto rules = rules_of(file_kind(path), path);
  if (file_kind(path) == FileKind::portable_map && (path[path.size() - 2] | 0x20) == 'b')
    throw Error(ErrorKind::unsupported, "a .pbm file holds bits, which are read and not written")
        .advise("Save it as .pgm.");
  const bool wide = type.scalar == Scalar::uint16;
  if (type.scalar != Scalar::uint8 && !(wide && rules.most_bits == 16))
    throw Error(ErrorKind::type,
                fmt::format("the samples of a {} file are unsigned char{}, but the elements are {}", rules.ending,
                            rules.most_bits == 16 ? " or unsigned short" : "", type.name))
        .advise(fmt::format("Convert them first: uint8_t pixels[{}] = clip(x * 255, 0, 255);", fmt::join(shape, "][")));
  auto extents = shape;
  if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));  // uchar3 is a last axis of 3
  const std::uint64_t channels = extents.size() == 3 ? extents[2] : 1;
  const auto wanted = [&] {
    std::string text;
    for (const char digit : rules.channels)
      text += digit == '1' ? "[rows][columns]" : fmt::format("{}[rows][columns][{}]", text.empty() ? "" : ", ", digit);
    return text;
  };
  if (extents.size() < 2 || extents.size() > 3 || channels > 4 ||
      rules.channels.find(static_cast<char>('0' + channels)) == std::string_view::npos)
    throw Error(ErrorKind::value, fmt::format("a {} file holds {}, but the shape is {}", rules.ending, wanted(),
                                              fmt::join(extents, " × ")))
        .advise(channels == 4 ? "Save x[:, :, 0:3] without the fourth channel, or as .png."
                              : "Save it as .png or .npy, or one of its images.");
  if (extents[0] == 0 || extents[1] == 0 || extents[0] > rules.most_pixels || extents[1] > rules.most_pixels)
    throw Error(ErrorKind::value,
                fmt::format("a {} file cannot hold {} × {} pixels", rules.ending, extents[1], extents[0]))
        .advise("Save it as .npy.");
  return {static_cast<std::uint32_t>(extents[1]), static_cast<std::uint32_t>(extents[0]),
          static_cast<std::uint32_t>(channels), wide ? 16U : 8U};
}

std::unique_ptr<ImageEncoder> make_image_encoder(FileKind kind, const ImageLayout& layout, OutputFile& file) {
  switch (kind) {
    case FileKind::jpeg: return std::make_unique<JpegEncoder>(layout, file);
    case FileKind::bitmap: return std::make_unique<BitmapEncoder>(layout, file);
    case FileKind::portable_map: return std::make_unique<PortableMapEncoder>(layout, file);
    default: return std::make_unique<PngEncoder>(layout, file);
  }
}

}  // namespace xcuda::files
