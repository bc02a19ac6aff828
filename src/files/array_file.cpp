#include "session/array_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/units.hpp"
#include "display/png.hpp"

namespace xcuda::session {
namespace {

Error unreadable(const std::string& path, int reason) {
  return Error(ErrorKind::io, fmt::format("cannot read \"{}\"", path)).said(errno_text(reason));
}

File opened(const std::string& path, std::uint64_t& size) {
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0) throw unreadable(path, errno);
  if (!S_ISREG(about.st_mode)) throw unreadable(path, S_ISDIR(about.st_mode) ? EISDIR : EINVAL);
  size = static_cast<std::uint64_t>(about.st_size);
  return file;
}

std::vector<std::byte> contents(const File& file, const std::string& path, std::uint64_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t done = 0; done < bytes.size();) {
    const auto got = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw unreadable(path, errno);
    if (got == 0) throw Error(ErrorKind::io, fmt::format("\"{}\" became shorter while it was read", path));
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

FileKind file_kind(const std::string& path) {
  if (path.ends_with(".npy")) return FileKind::npy;
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
  std::uint64_t size = 0;
  const auto file = opened(path, size);
  auto image = display::decode_png(contents(file, path, size), path);
  NpyArray array;
  array.header.type = type_of(image.bits == 16 ? Scalar::uint16 : Scalar::uint8);
  array.header.shape = {image.height, image.width};
  if (image.channels > 1) array.header.shape.push_back(image.channels);
  array.data = std::move(image.samples);
  return array;
}

std::vector<std::byte> read_raw_file(const std::string& path, std::uint64_t bytes) {
  std::uint64_t size = 0;
  const auto file = opened(path, size);
  if (size != bytes)
    throw Error(ErrorKind::value,
                fmt::format("\"{}\" has {} bytes ({}), and the array {}", path, size, format_bytes(size), bytes))
        .advise(
            "Names of NumPy's files end in .npy, those of images in .png; any other file is taken for raw elements.");
  return contents(file, path, size);
}

}  // namespace xcuda::session
