#include "files/bitmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

constexpr std::uint32_t kFileHeader = 14, kCoreHeader = 12, kInfoHeader = 40, kHeaderWithMasks = 52,
                        kHeaderWithAlpha = 56;
constexpr std::uint32_t kUncompressed = 0, kBitFields = 3, kAlphaBitFields = 6;

// The part of `value` that `mask` selects, as 0 to 255.
std::uint8_t scaled(std::uint32_t value, std::uint32_t mask) {
  const auto most = mask >> std::countr_zero(mask);
  const std::uint64_t part = (value & mask) >> std::countr_zero(mask);
  return static_cast<std::uint8_t>((part * 255 + most / 2) / most);
}

}  // namespace

BitmapReader::BitmapReader(std::span<const std::byte> file, std::string name) : file_(file), name_(std::move(name)) {
  if (file_.size() < 2 || number(0, 2) != 0x4d42) fail("it does not begin with BM");
  pixels_ = number(10, 4);
  const auto header = number(14, 4);
  if (header != kCoreHeader && header < kInfoHeader) fail(fmt::format("its header has {} bytes", header));
  const bool core = header == kCoreHeader;
  const auto field = core ? 2U : 4U;
  const auto width = static_cast<std::int32_t>(number(18, field));
  const auto height = static_cast<std::int32_t>(number(18 + field, field));
  bits_ = number(core ? 24 : 28, 2);
  const auto compression = core ? kUncompressed : number(30, 4);
  if (width <= 0 || height == 0 || height == INT32_MIN) fail(fmt::format("it declares {} × {} pixels", width, height));
  width_ = static_cast<std::uint32_t>(width);
  height_ = static_cast<std::uint32_t>(std::abs(height));
  bottom_first_ = height > 0;
  const bool masked = compression == kBitFields || compression == kAlphaBitFields;
  if (compression != kUncompressed && !(masked && (bits_ == 16 || bits_ == 32))) fail("its pixels are compressed");
  switch (bits_) {
    case 1:
    case 4:
    case 8: read_palette(std::uint64_t{kFileHeader} + header, core ? 3 : 4, core ? 0 : number(46, 4)); break;
    case 16:
    case 32: read_masks(header, compression); break;
    case 24: break;
    default: fail(fmt::format("its pixels have {} bits, not 1, 4, 8, 16, 24 or 32", bits_));
  }
  stride_ = (std::uint64_t{width_} * bits_ + 31) / 32 * 4;
  if (pixels_ < kFileHeader + header) fail("its pixels begin in its header");
  if (pixels_ > file_.size() || (file_.size() - pixels_) / stride_ < height_)
    fail(fmt::format("it ends before the last of its {} × {} pixels", width_, height_));
  facts_.type = type_of(Scalar::uint8);
  facts_.shape = {height_, width_};
  if (channels_ > 1) facts_.shape.push_back(channels_);
}

void BitmapReader::fail(const std::string& why) const {
  throw Error(ErrorKind::value, fmt::format("cannot load {}: {}", shown_path(name_), why))
      .advise("Save it again as PNG, or as an uncompressed BMP file.");
}

std::uint32_t BitmapReader::number(std::uint64_t at, std::uint32_t bytes) const {
  if (at > file_.size() || file_.size() - at < bytes) fail("it ends in its header");
  std::uint32_t value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) value |= std::to_integer<std::uint32_t>(file_[at + i]) << 8 * i;
  return value;
}

// Blue, green, red and, of four bytes, nothing.
void BitmapReader::read_palette(std::uint64_t at, std::uint32_t entry, std::uint32_t declared) {
  const auto most = std::uint32_t{1} << bits_;
  palette_.resize(declared == 0 ? most : std::min(declared, most));
  bool gray = true;
  for (auto& colour : palette_) {
    const auto value = number(at, 3);
    for (std::uint32_t i = 0; i < 3; ++i) colour[i] = static_cast<std::uint8_t>(value >> (16 - 8 * i));
    gray = gray && colour[0] == colour[1] && colour[1] == colour[2];
    at += entry;
  }
  channels_ = gray ? 1 : 3;
}

void BitmapReader::read_masks(std::uint32_t header, std::uint32_t compression) {
  if (bits_ == 16)
    masks_ = {0x7c00, 0x3e0, 0x1f, 0};
  else
    masks_ = {0xff0000, 0xff00, 0xff, 0};
  if (compression == kUncompressed) return;  // the fourth byte means nothing
  // In the header, or after one that has no room for them.
  for (std::uint32_t i = 0; i < 3; ++i) masks_[i] = number(54 + 4 * i, 4);
  if (header >= kHeaderWithAlpha || (header < kHeaderWithMasks && compression == kAlphaBitFields))
    masks_[3] = number(66, 4);
  for (std::uint32_t i = 0; i < 3; ++i)
    if (masks_[i] == 0) fail("a colour has no bits");
  if (masks_[3] != 0) channels_ = 4;
}

BitmapReader::Pixel BitmapReader::pixel() const {
  const auto row = pixels_ + (bottom_first_ ? height_ - 1 - y_ : y_) * stride_;
  if (bits_ <= 8) {
    const auto bit = std::uint64_t{x_} * bits_;
    const auto byte = number(row + bit / 8, 1);
    const auto index = byte >> (8 - bits_ - bit % 8) & ((1U << bits_) - 1);
    if (index >= palette_.size()) fail(fmt::format("a pixel is {}, but it has {} colours", index, palette_.size()));
    return palette_[index];
  }
  const auto value = number(row + std::uint64_t{x_} * bits_ / 8, bits_ / 8);
  if (bits_ == 24)
    return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value), 255};
  Pixel result{};
  for (std::size_t i = 0; i < channels_; ++i) result[i] = scaled(value, masks_[i]);
  return result;
}

// Pieces end where they like, so that a pixel is looked at once for each of its samples that is the first of a piece.
void BitmapReader::read(std::span<std::byte> elements) {
  std::size_t to = 0;
  while (to < elements.size()) {
    const auto colours = pixel();
    for (; sample_ < channels_ && to < elements.size(); ++sample_) elements[to++] = std::byte{colours[sample_]};
    if (sample_ < channels_) return;
    sample_ = 0;
    if (++x_ == width_) {
      x_ = 0;
      ++y_;
    }
  }
}

}  // namespace xcuda::files
