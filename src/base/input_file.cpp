#include "base/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/process_limits.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace xcuda {
namespace {

Error unreadable(const std::string& path, std::string why) {
  return Error(ErrorKind::io, fmt::format("cannot read {}", shown_path(path))).said(std::move(why));
}

std::optional<Error> wrong_type(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return std::nullopt;
  auto error = unreadable(path, fmt::format("it is {}, not a file", file_type_name(mode)));
  error.advice = S_ISDIR(mode) ? "Name a file in it: %ls lists them."
                               : "Only regular files can be read: copy its output to a file first.";
  return error;
}

// Asked by name first: to open a device may already do something. Asked again when it is open: the name may mean
// another file by then, and a FIFO that is opened this way does not wait.
std::optional<Error> open_regular(const std::string& path, File& file, std::uint64_t& size) {
  if (path.find('\0') != std::string::npos) return unreadable(path, "its name holds a NUL byte");
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    const int number = errno;
    auto error = unreadable(path, errno_text(number));
    if (number == ENOENT)
      error.advice = "Check its name and the folder: %pwd shows the session's, %ls the files there.";
    return error;
  }
  if (auto error = wrong_type(path, about.st_mode)) return error;
  file.reset(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || fstat(file.get(), &about) != 0) {
    const int number = errno;
    auto error = unreadable(path, errno_text(number));
    error.advice = open_files_advice(number);
    return error;
  }
  size = static_cast<std::uint64_t>(about.st_size);
  return wrong_type(path, about.st_mode);
}

std::optional<Error> read_some(const std::string& path, const File& file, std::span<std::byte> bytes,
                               std::size_t& done) {
  done = 0;
  while (done < bytes.size()) {
    const auto got = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got == 0) break;
    if (got > 0) done += static_cast<std::size_t>(got);
    // Some files of /proc wait for news as a FIFO does.
    if (got < 0 && errno == EAGAIN) return unreadable(path, "it has nothing to read now");
    if (got < 0 && errno != EINTR) return unreadable(path, errno_text(errno));
  }
  return std::nullopt;
}

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;  // bytes more, of a file that turns out longer than it said

std::optional<Error> read_whole(const std::string& path, std::uint64_t most, std::string& text) {
  File file;
  std::uint64_t size = 0;
  if (auto error = open_regular(path, file, size)) return error;
  const auto too_long = [&] {
    return unreadable(path, fmt::format("it is longer than {}, the limit", format_bytes(most)));
  };
  if (size > most) return too_long();
  std::size_t got = 0;
  for (std::uint64_t room = size + 1;; room = std::min(text.size() + kStep, most + 1)) {
    text.resize(room);  // one byte more than is expected, so that the end is seen
    std::size_t part = 0;
    if (auto error = read_some(path, file, std::as_writable_bytes(std::span(text)).subspan(got), part)) return error;
    got += part;
    if (got > most) return too_long();
    if (got < text.size()) break;
  }
  text.resize(got);
  return std::nullopt;
}

}  // namespace

std::string_view file_type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return "a file";
    case S_IFDIR: return "a folder";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    case S_IFLNK: return "a symbolic link";
    default: return "not a known kind of file";
  }
}

std::string shown_path(std::string_view path) {
  constexpr std::size_t kMost = 200;  // bytes
  std::string text;
  const auto add = [&](std::string_view part) {
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f)
        text += fmt::format("\\x{:02x}", byte);
      else
        text += c;
    }
  };
  if (path.size() <= kMost) {
    add(path);
  } else {
    add(path.substr(0, kMost / 2));
    text += "...";
    add(path.substr(path.size() - kMost / 2));
  }
  return fmt::format("\"{}\"", valid_utf8(text));
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  if (auto error = open_regular(path_, file_, size_)) throw std::move(*error);
}

InputFile::InputFile(File open, std::string path) : path_(std::move(path)), file_(std::move(open)) {
  struct stat about {};
  if (fstat(file_.get(), &about) != 0) throw unreadable(path_, errno_text(errno));
  if (auto error = wrong_type(path_, about.st_mode)) throw std::move(*error);
  size_ = static_cast<std::uint64_t>(about.st_size);
}

std::size_t InputFile::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  if (auto error = read_some(path_, file_, bytes, done)) throw std::move(*error);
  return done;
}

std::variant<std::string, Error> try_read_file(const std::string& path, std::uint64_t most) {
  std::string text;
  if (auto error = read_whole(path, most, text)) return std::move(*error);
  return text;
}

std::string read_file(const std::string& path, std::uint64_t most) {
  std::string text;
  if (auto error = read_whole(path, most, text)) throw std::move(*error);
  return text;
}

}  // namespace xcuda
