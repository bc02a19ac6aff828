// PNG images, read row by row as they are packed. The only user of libpng for files that others made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace xcuda::files {

// A file's samples as they are: 8 or 16 bits (of this machine's byte order), 1 to 4 channels; palettes become RGB(A),
// fewer bits 8. Error(value), which names the file, for anything else, and for a file that is too short for the pixels
// that it declares.
class PngReader {
 public:
  PngReader(std::span<const std::byte> file, std::string name);  // `file` outlives the reader
  ~PngReader();
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  std::uint32_t width() const;
  std::uint32_t height() const;
  std::uint32_t channels() const;
  std::uint32_t bits() const;  // of a sample

  // The next samples, row by row. Error(memory) when the rows of an image come out of order and do not fit.
  void read(std::span<std::byte> samples);

 private:
  struct State;
  void next_row();

  std::unique_ptr<State> state_;
};

}  // namespace xcuda::files
