#include "base/abandoned.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

namespace xcuda {
namespace {

struct ListTraits {
  using type = DIR*;
  static constexpr type kEmpty = nullptr;
  static void close(type raw) noexcept { closedir(raw); }
};

int lock(const File& file) {
  int failed = 0;
  while ((failed = flock(file.get(), LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {}
  return failed;
}

std::vector<std::string> names_in(const File& folder, const std::function<bool(std::string_view)>& wanted) {
  std::vector<std::string> names;
  File copy(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Handle<ListTraits> list(copy ? fdopendir(copy.get()) : nullptr);
  if (!list) return names;
  copy.release();
  while (const auto* item = readdir(list.get()))
    if (wanted(item->d_name)) names.emplace_back(item->d_name);
  return names;
}

}  // namespace

bool hold(const File& file) {
  if (lock(file) != 0 && errno == EWOULDBLOCK) return false;
  struct stat about {};
  return fstat(file.get(), &about) != 0 || about.st_nlink > 0;
}

void remove_abandoned_files(const File& folder, const std::function<bool(std::string_view)>& is_temporary) {
  for (const auto& name : names_in(folder, is_temporary)) {
    // Some network file systems lock only what is open for writing.
    const File file(openat(folder.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat about {};
    if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid()) continue;
    if (lock(file) == 0) unlinkat(folder.get(), name.c_str(), 0);
  }
}

}  // namespace xcuda
