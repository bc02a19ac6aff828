#include "programs/caches.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/paths.hpp"
#include "base/units.hpp"
#include "compiler/compiler.hpp"

namespace xcuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaches[] = {"compile", "cpu", "programs", compiler::kHeadersOfNvrtc};

// Bytes of the files in a folder.
std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    std::error_code gone;
    if (const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0; !gone) bytes += size;
  }
  return bytes;
}

}  // namespace

void print_caches() {
  fmt::print("Caches of compiled code, and of headers that NVRTC holds:\n");
  for (const auto* name : kCaches) {
    const auto folder = cache_folder(name);
    const auto usable = make_private_folder(folder);
    const auto* const error = std::get_if<Error>(&usable);
    if (folder.empty())
      fmt::print("  {:<14} none: neither XDG_CACHE_HOME nor HOME is set\n", name);
    else
      fmt::print("  {:<14} {}{}\n", name, folder.string(), error != nullptr ? ", not used: " + error->library : "");
  }
}

// A session that runs meanwhile misses its entries, and its workers, whose sandbox knew the old folders, store no new
// ones. A folder that a session would not use is left alone, as it may be another user's.
int clear_caches() {
  int code = 0;
  for (const auto* name : kCaches) {
    const auto folder = cache_folder(name);
    std::error_code failed;
    if (folder.empty() || !fs::exists(folder, failed)) continue;
    const auto usable = open_private_folder(folder);
    if (const auto* const error = std::get_if<Error>(&usable)) {
      fmt::print(stderr, "xcuda: {} is left alone: {}\n", folder.string(), error->library);
      code = 1;
      continue;
    }
    const auto bytes = size_of(folder);
    fs::remove_all(folder, failed);
    if (failed) {
      fmt::print(stderr, "xcuda: cannot remove {}: {}\n", folder.string(), failed.message());
      code = 1;
    } else {
      fmt::print("removed: {} ({})\n", folder.string(), format_bytes(bytes));
    }
  }
  std::error_code ignored;
  if (const auto one = cache_folder(kCaches[0]); !one.empty()) fs::remove(one.parent_path(), ignored);  // when empty
  return code;
}

}  // namespace xcuda
