#include "compiler/library_folders.hpp"

#include <algorithm>
#include <filesystem>

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->is_directory(ignored)) found.push_back(at->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> library_folders(const SearchEnvironment& environment, const std::string& python) {
  std::vector<std::string> found;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored) && std::find(found.begin(), found.end(), folder) == found.end())
      found.push_back(folder);
  };
  const auto root = [&](const fs::path& folder) {
    for (const auto* part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) add(folder / part);
  };
  const auto wheels = [&](const fs::path& prefix) {
    for (const auto& folder : folders_in(prefix / "lib")) {
      if (!folder.filename().string().starts_with("python3")) continue;
      for (const auto* part : {"site-packages", "dist-packages"}) {
        add(folder / part);
        for (const auto& package : folders_in(folder / part / "nvidia")) add(package / "lib");
      }
    }
  };
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
    if (const auto value = environment.variable(name); value && !value->empty()) root(*value);
  for (const auto* name : {"CONDA_PREFIX", "VIRTUAL_ENV"})
    if (const auto value = environment.variable(name); value && !value->empty()) wheels(*value);
  if (!python.empty()) wheels(fs::path(python).parent_path().parent_path());
  if (!environment.prefix.empty()) wheels(environment.prefix);
  if (const auto home = environment.variable("HOME")) wheels(fs::path(*home) / ".local");
  for (const auto* folder : {"/usr/local/cuda", "/opt/cuda"}) root(environment.root + folder);
  return found;
}

}  // namespace xcuda::compiler
