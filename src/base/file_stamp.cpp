#include "base/file_stamp.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace xcuda {

std::string file_stamp(const std::string& path) {
  struct stat status {};
  if (path.empty() || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return fmt::format("{} {}.{} {}\n", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, path);
}

std::string code_stamp(const void* function) {
  Dl_info library{};
  std::string stamp;
  if (dladdr(function, &library) != 0 && library.dli_fname != nullptr) stamp = file_stamp(library.dli_fname);
  return stamp.empty() ? file_stamp("/proc/self/exe") : stamp;
}

}  // namespace xcuda
