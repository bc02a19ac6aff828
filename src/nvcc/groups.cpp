#include "nvcc/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.hpp"

namespace xcuda::nvcc {
namespace {

void check_name(const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    throw Error(ErrorKind::value, fmt::format("{} is not a name inside the program's folder", name))
        .advise("Name the file as the program includes it: vec.cuh, kernels/scan.cu.");
  constexpr std::array<const char*, 6> kHeaders{".h", ".hpp", ".cuh", ".hh", ".inl", ".inc"};
  if (!is_compiled({name, {}, 1, {}}) &&
      std::find(kHeaders.begin(), kHeaders.end(), path.extension()) == kHeaders.end())
    throw Error(ErrorKind::value, fmt::format("{} is neither a source nor a header of a program", name))
        .advise("Sources end in .cu, .cpp, .cc, .cxx or .c; headers in .h, .hpp, .cuh, .hh, .inl or .inc.");
}

void put(std::vector<SourceFile>& files, SourceFile file) {
  const auto at = std::find_if(files.begin(), files.end(), [&](const auto& one) { return one.name == file.name; });
  if (at == files.end())
    files.push_back(std::move(file));
  else
    *at = std::move(file);
}

}  // namespace

void Groups::save(const std::string& group, SourceFile file) {
  check_name(file.name);
  put(groups_[group], std::move(file));
}

bool Groups::remove(const std::string& group) { return groups_.erase(group) > 0; }

std::vector<std::string> Groups::names() const {
  std::vector<std::string> names;
  for (const auto& [name, files] : groups_) names.push_back(name);
  return names;
}

std::vector<SourceFile> Groups::files_of(const std::string& group) const {
  std::vector<SourceFile> files;
  for (const auto& name : {std::string(kSharedGroup), group})
    if (const auto at = groups_.find(name); at != groups_.end())
      for (const auto& file : at->second) put(files, file);
  return files;
}

}  // namespace xcuda::nvcc
