#include "base/handle.hpp"

#include <unistd.h>

namespace xcuda {

void FileTraits::close(int fd) noexcept { ::close(fd); }

}  // namespace xcuda
