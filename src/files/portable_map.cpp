#include "files/portable_map.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

namespace xcuda::files {
namespace {

bool is_blank(std::byte c) { return std::isspace(std::to_integer<int>(c)) != 0; }

}  // namespace

PortableMapReader::PortableMapReader(std::span<const std::byte> file, std::string name)
    : file_(file), name_(std::move(name)) {
  if (file_.size() < 3 || static_cast<char>(file_[0]) != 'P' || static_cast<char>(file_[1]) < '1' ||
      static_cast<char>(file_[1]) > '6')
    fail("it does not begin with P1 to P6");
  kind_ = static_cast<char>(file_[1]);
  at_ = 2;
  width_ = number();
  const std::uint32_t height = number();
  const bool bitmap = kind_ == '1' || kind_ == '4';
  if (!bitmap) most_ = number();
  if (width_ == 0 || height == 0) fail("it has no pixels");
  if (most_ == 0 || most_ > 65535) fail(fmt::format("its largest sample is {}, not 1 to 65535", most_));
  if (std::uint64_t{width_} * height > 8 * file_.size()) fail("it ends before its last pixel");  // a bit for each
  const bool colours = kind_ == '3' || kind_ == '6';
  facts_.type = type_of(most_ > 255 ? Scalar::uint16 : Scalar::uint8);
  facts_.shape = {height, width_};
  if (colours) facts_.shape.push_back(3);
  if (kind_ < '4') {
    // A sample and the blank after it; the digits of a bitmap need no blanks.
    const auto count = facts_.count();
    if (file_.size() - at_ < (bitmap ? count : count + (count - 1))) fail("it ends before its last pixel");
    return;
  }
  // One blank, and what follows is packed; Windows may have made two of it.
  const auto bytes = kind_ == '4' ? (std::uint64_t{width_} + 7) / 8 * height : facts_.bytes();
  if (at_ < file_.size() && !is_blank(file_[at_])) fail("a blank is missing after its header");
  const auto left = file_.size() - at_;
  const bool both = left == bytes + 2 && file_[at_] == std::byte{'\r'} && file_[at_ + 1] == std::byte{'\n'};
  at_ += both ? 2 : 1;
  if (left < bytes + 1) fail("it ends before its last pixel");
}

void PortableMapReader::fail(const std::string& why) const {
  throw Error(ErrorKind::value, fmt::format("cannot load {}: {}", shown_path(name_), why))
      .advise(
          kind_ == '2' || kind_ == '5'
              ? fmt::format("Create it again: P{}, width, height and 255 on lines, then {}.", kind_,
                            kind_ == '2' ? "a number for each pixel" : "a byte for each pixel")
          : kind_ == '1' || kind_ == '4'
              ? fmt::format("Create it again: P{}, width and height on lines, then {}.", kind_,
                            kind_ == '1' ? "0 or 1 for each pixel" : "a bit for each pixel, each row in whole bytes")
              : fmt::format("Create it again: P{}, width, height and 255 on lines, then {}.", kind_ == '3' ? '3' : '6',
                            kind_ == '3' ? "3 numbers for each pixel" : "3 bytes for each pixel"));
}

// Skips blanks, and comments, which go to the end of their line.
void PortableMapReader::skip_blanks() {
  for (; at_ < file_.size() && (is_blank(file_[at_]) || file_[at_] == std::byte{'#'}); ++at_)
    if (file_[at_] == std::byte{'#'})
      while (at_ + 1 < file_.size() && file_[at_] != std::byte{'\n'}) ++at_;
}

std::uint32_t PortableMapReader::number() {
  const auto here = [&] { return at_ < file_.size() ? static_cast<unsigned char>(file_[at_]) : 0U; };
  skip_blanks();
  if (std::isdigit(static_cast<int>(here())) == 0) fail("a number is missing");
  std::uint64_t value = 0;
  for (; std::isdigit(static_cast<int>(here())) != 0; ++at_) {
    value = value * 10 + (here() - '0');
    if (value > 0xFFFFFFFF) fail("a number in it is too large");
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t PortableMapReader::sample() {
  if (kind_ == '1') {
    skip_blanks();
    if (at_ >= file_.size()) fail("it ends before its last pixel");
    const auto digit = static_cast<char>(file_[at_++]);
    if (digit != '0' && digit != '1') fail("a sample is not 0 or 1");
    return digit == '0' ? 255 : 0;
  }
  if (kind_ == '4') {
    if (column_ % 8 == 0) bits_ = static_cast<std::uint32_t>(file_[at_++]);
    const bool black = (bits_ >> (7 - column_ % 8) & 1) != 0;
    if (++column_ == width_) column_ = 0;
    return black ? 0 : 255;
  }
  if (kind_ < '4') return number();
  const auto high = static_cast<std::uint32_t>(file_[at_++]);
  return most_ > 255 ? high << 8 | static_cast<std::uint32_t>(file_[at_++]) : high;
}

void PortableMapReader::read(std::span<std::byte> elements) {
  const std::uint32_t top = most_ > 255 ? 65535 : 255;
  const auto size = facts_.type.size;
  for (std::size_t to = 0; to + size <= elements.size(); to += size) {
    auto value = sample();
    if (value > most_) fail(fmt::format("a sample is {}, more than {}", value, most_));
    if (most_ != top) value = static_cast<std::uint32_t>((std::uint64_t{value} * top + most_ / 2) / most_);
    const auto wide = static_cast<std::uint16_t>(value);
    const auto narrow = static_cast<std::uint8_t>(value);
    if (size == 2)
      std::memcpy(elements.data() + to, &wide, 2);
    else
      std::memcpy(elements.data() + to, &narrow, 1);
  }
}

}  // namespace xcuda::files
