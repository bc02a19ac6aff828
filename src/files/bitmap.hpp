// BMP images of Windows, uncompressed: the files that image filters of CUDA courses read and write.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/array_file.hpp"

namespace xcuda::files {

// Samples as unsigned char, from the top row: gray where all colours of a palette are gray, else RGB, with A where the
// file declares it. Error(value) for what is not such a file, or too short for the pixels that it declares.
class BitmapReader final : public ArrayReader {
 public:
  BitmapReader(std::span<const std::byte> file, std::string name);  // `file` outlives the reader
  void read(std::span<std::byte> elements) override;

 private:
  using Pixel = std::array<std::uint8_t, 4>;  // red, green, blue, alpha

  [[noreturn]] void fail(const std::string& why) const;
  std::uint32_t number(std::uint64_t at, std::uint32_t bytes) const;  // little endian; fails outside the file
  void read_palette(std::uint64_t at, std::uint32_t entry, std::uint32_t declared);
  void read_masks(std::uint32_t header, std::uint32_t compression);
  Pixel pixel() const;

  std::span<const std::byte> file_;
  std::string name_;
  std::uint64_t pixels_ = 0, stride_ = 0;  // where they begin; bytes of a row
  std::uint32_t width_ = 0, height_ = 0, bits_ = 0, channels_ = 3;
  bool bottom_first_ = true;
  std::vector<Pixel> palette_;
  std::array<std::uint32_t, 4> masks_{};      // of red, green, blue, alpha in 16 and 32 bits
  std::uint32_t x_ = 0, y_ = 0, sample_ = 0;  // of the next sample
};

}  // namespace xcuda::files
