#include "runtime/toolkit_library.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <climits>
#include <cstddef>
#include <vector>

#include "base/sanitizers.hpp"

namespace xcuda {
namespace {

// The library's own functions come before ours of the same names, which the program has linked. Sanitizers refuse that.
constexpr int kOwnFirst = kAddressSanitizer || kThreadSanitizer ? 0 : RTLD_DEEPBIND;

// Where the program's own libraries are looked for: its run path, LD_LIBRARY_PATH, the system's folders.
std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* found = reinterpret_cast<Dl_serinfo*>(room.data());
  dlinfo(program, RTLD_DI_SERINFOSIZE, found);
  if (dlinfo(program, RTLD_DI_SERINFO, found) != 0) return folders;
  for (unsigned i = 0; i < found->dls_cnt; ++i) folders.emplace_back(found->dls_serpath[i].dls_name);
  return folders;
}

// Empty: it does not exist.
std::string resolved(const std::string& path) {
  char to[PATH_MAX];
  return realpath(path.c_str(), to) == nullptr ? std::string() : std::string(to);
}

}  // namespace

void* open_toolkit_library(const std::string& file, const std::string& own_folder) {
  auto folders = loader_folders();
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = getenv(name))
      folders.insert(folders.end(), {std::string(root) + "/lib64", std::string(root) + "/lib"});
  folders.emplace_back("/usr/local/cuda/lib64");
  const auto own = resolved(own_folder + "/" + file);
  for (const auto& folder : folders) {
    const auto path = resolved(folder + "/" + file);
    if (path.empty() || path == own) continue;
    if (void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | kOwnFirst)) return library;
  }
  return nullptr;
}

bool is_loaded(const std::string& file) {
  void* const found = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (found != nullptr) dlclose(found);
  return found != nullptr;
}

void* address_in(void* library, const char* function) { return dlsym(library, function); }

}  // namespace xcuda
