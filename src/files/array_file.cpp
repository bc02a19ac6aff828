#include "files/array_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/units.hpp"
#include "display/png.hpp"

namespace xcuda::files {
namespace {

constexpr std::uint64_t kMostImage = std::uint64_t{1} << 30;  // bytes of a compressed file

}  // namespace

FileKind file_kind(const std::string& path) {
  if (path.ends_with(".npy")) return FileKind::npy;
  if (path.ends_with(".csv"))  // %save writes them, and their text is not raw elements
    throw Error(ErrorKind::unsupported, fmt::format("load() does not read text: {}", shown_path(path)))
        .advise(
            "In Python, numpy.save(\"x.npy\", numpy.loadtxt(\"x.csv\", delimiter=\",\")) makes a file that it reads.");
  return path.ends_with(".png") ? FileKind::png : FileKind::raw;
}

NpyArray read_array_file(const std::string& path) {
  const auto kind = file_kind(path);
  if (kind == FileKind::npy) return read_npy(path);
  if (kind == FileKind::raw)
    throw Error(ErrorKind::type,
                fmt::format("\"{}\" is read as raw elements, and the file does not say of which type", path))
        .advise(fmt::format(
            "Declare it: float x[n] = load(\"{}\"). Names of NumPy's files end in .npy, those of images in .png.",
            path));
  const auto file = read_file(path, kMostImage);
  auto image = display::decode_png(std::as_bytes(std::span(file)), path);
  NpyArray array;
  array.header.type = type_of(image.bits == 16 ? Scalar::uint16 : Scalar::uint8);
  array.header.shape = {image.height, image.width};
  if (image.channels > 1) array.header.shape.push_back(image.channels);
  array.data = std::move(image.samples);
  return array;
}

std::vector<std::byte> read_raw_file(const std::string& path, std::uint64_t bytes) {
  InputFile file(path);
  if (file.size() != bytes)
    throw Error(ErrorKind::value, fmt::format("\"{}\" has {} bytes ({}), and the array {}", path, file.size(),
                                              format_bytes(file.size()), bytes))
        .advise(
            "Names of NumPy's files end in .npy, those of images in .png; any other file is taken for raw elements.");
  std::vector<std::byte> elements(bytes);
  if (file.read(elements) < bytes)
    throw Error(ErrorKind::io, fmt::format("\"{}\" became shorter while it was read", path));
  return elements;
}

}  // namespace xcuda::files
