// Netpbm images, which CUDA programs write most: PBM, PGM and PPM, as text (P1 to P3) and packed (P4 to P6).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "files/array_file.hpp"

namespace xcuda::files {

// Samples as unsigned char, or unsigned short where the largest is over 255; those of a PBM are 0 (black) and 255. A
// smaller largest sample is scaled to 255 or 65535. Error(value) for what is not such a file, or shorter than it says.
class PortableMapReader final : public ArrayReader {
 public:
  PortableMapReader(std::span<const std::byte> file, std::string name);  // `file` outlives the reader
  void read(std::span<std::byte> elements) override;

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void skip_blanks();
  std::uint32_t number();  // after blanks and comments
  std::uint32_t sample();

  std::span<const std::byte> file_;
  std::string name_;
  std::size_t at_ = 0;
  char kind_ = '6';
  std::uint32_t most_ = 255, width_ = 0, column_ = 0, bits_ = 0;  // column_ and bits_: of a packed PBM
};

}  // namespace xcuda::files
