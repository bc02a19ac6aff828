#include "kernel/ipc_files.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

#include "base/handle.hpp"

namespace xcuda::kernel {

bool IpcFiles::is_served(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const File probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void IpcFiles::add(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  const std::lock_guard lock(mutex_);
  bound_.push_back({path, status.st_dev, status.st_ino});
}

void IpcFiles::remove() {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, device, number] : std::exchange(bound_, {})) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && status.st_dev == device && status.st_ino == number) unlink(path.c_str());
  }
}

}  // namespace xcuda::kernel
