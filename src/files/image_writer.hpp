// Images for other programs: PNG, JPEG, BMP, and the portable maps of Netpbm. The only user of libpng and libjpeg for
// the elements of arrays; display/png draws what cells show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "base/type.hpp"
#include "files/array_file.hpp"

namespace xcuda::files {

// The samples of an image as they are in an array: rows × columns, or rows × columns × channels.
struct ImageLayout {
  std::uint32_t width = 0, height = 0, channels = 1;
  std::uint32_t bits = 8;                                                         // of a sample
  std::size_t row() const { return std::size_t{width} * channels * (bits / 8); }  // bytes
};

class ImageEncoder {
 public:
  virtual ~ImageEncoder() = default;
  virtual void put(std::span<const std::byte> row) = 0;  // the next one, of layout.row() bytes
  virtual void end() {}                                  // after the last one

 protected:
  ImageEncoder() = default;
  ImageEncoder(const ImageEncoder&) = delete;
  ImageEncoder& operator=(const ImageEncoder&) = delete;
};

// Error(type) for elements that are not samples of the format, Error(value) for a shape that is not an image.
ImageLayout image_layout(const std::string& path, const Type& type, const std::vector<std::uint64_t>& shape);
std::unique_ptr<ImageEncoder> make_image_encoder(FileKind kind, const ImageLayout& layout, OutputFile& file);

}  // namespace xcuda::files
