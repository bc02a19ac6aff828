#include "base/handle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/process_limits.hpp"

namespace xcuda {

void FileTraits::close(int fd) noexcept { ::close(fd); }

File duplicate(const File& file) {
  if (!file) return {};
  File copy(fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy)
    throw Error(ErrorKind::io, "cannot duplicate a descriptor")
        .said(errno_text(errno))
        .advise(open_files_advice(errno));
  return copy;
}

}  // namespace xcuda
