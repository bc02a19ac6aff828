#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/process_limits.hpp"
#include "base/units.hpp"

namespace xcuda {
namespace {

// Left to the rest of the machine.
constexpr std::uint64_t kHostReserve = std::uint64_t{256} << 20;

}  // namespace

File make_memory_file(const std::string& name, std::uint64_t size, Reserve reserve) {
  const auto fail = [&](int number) {
    auto error =
        Error(ErrorKind::memory, fmt::format("cannot create shared memory of {} for {}", format_bytes(size), name))
            .said(errno_text(number));
    if (number == EFBIG)
      error.advice = fmt::format("The limit on file sizes (ulimit -f), {}, also counts for shared memory: raise it.",
                                 format_bytes(file_size_limit().value_or(0)));
    if (const auto advice = open_files_advice(number); !advice.empty()) error.advice = advice;
    return error;
  };
  // No limit of the file system bounds a memfd: fallocate() takes all there is, and then the kernel kills.
  if (reserve == Reserve::now && size >= kHostReserve / 4)
    if (const auto memory = host_memory(); size > memory.available - std::min(memory.available, kHostReserve))
      throw Error(ErrorKind::memory, fmt::format("cannot create shared memory of {} for {}", format_bytes(size), name))
          .said(fmt::format("{} of this machine's {} are available, but {} of them stay free",
                            format_bytes(memory.available), format_bytes(memory.total), format_bytes(kHostReserve)));
  File file(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!file) throw fail(errno);
  if (size == 0) return file;
  int error = EINTR;
  while (error == EINTR) {
    const auto bytes = static_cast<off_t>(size);
    const int result = reserve == Reserve::now ? fallocate(file.get(), 0, 0, bytes) : ftruncate(file.get(), bytes);
    error = result == 0 ? 0 : errno;
  }
  if (error != 0) throw fail(error);
  return file;
}

SharedMapping::SharedMapping(const File& file, std::size_t size, Populate populate) {
  const int flags = MAP_SHARED | (populate == Populate::now ? MAP_POPULATE : 0);
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size)
    throw Error(ErrorKind::memory,
                fmt::format("shared memory of {} is smaller than the {} to map",
                            format_bytes(static_cast<std::uint64_t>(status.st_size)), format_bytes(size)));
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file.get(), 0);
  if (start == MAP_FAILED)
    throw Error(ErrorKind::memory, fmt::format("cannot map {} of shared memory", format_bytes(size)))
        .said(errno_text(errno))
        .advise(address_space_advice());
  bytes_ = {static_cast<std::byte*>(start), size};
}

SharedMapping SharedMapping::where_possible(const File& file, std::size_t size) {
  SharedMapping mapping;
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size) return mapping;
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (start != MAP_FAILED) mapping.bytes_ = {static_cast<std::byte*>(start), size};
  return mapping;
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMapping::~SharedMapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

FileMapping::FileMapping(const File& file, std::size_t size) {
  if (size == 0) return;
  void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED)
    throw Error(ErrorKind::memory, fmt::format("cannot map a file of {}", format_bytes(size))).said(errno_text(errno));
  bytes_ = {static_cast<const std::byte*>(start), size};
}

FileMapping::FileMapping(FileMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileMapping::~FileMapping() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace xcuda
