// JPEG images, read row by row. The only user of libjpeg for files that others made.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "files/array_file.hpp"

namespace xcuda::files {

// Samples as unsigned char: rows × columns of a gray image, else with a third extent for RGB. Error(value), which names
// the file, for anything else, for one that is damaged or ends early, and for one that is too short for the pixels that
// it declares; Error(memory) when the parts of a progressive image do not fit.
class JpegReader final : public ArrayReader {
 public:
  JpegReader(std::span<const std::byte> file, std::string name);  // `file` outlives the reader
  ~JpegReader() override;
  void read(std::span<std::byte> samples) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::files
