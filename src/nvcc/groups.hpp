// Files that cells keep for programs of several files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nvcc/source_file.hpp"

namespace xcuda::nvcc {

// The group whose files are part of every program.
inline constexpr std::string_view kSharedGroup = "shared";

class Groups {
 public:
  // Replaces a file of the same name in the group. Error(value) for a name that is absolute or leaves the folder, or
  // that is neither a source nor a header.
  void save(const std::string& group, SourceFile file);
  bool remove(const std::string& group);  // whether there was one
  bool contains(const std::string& group) const { return groups_.contains(group); }
  std::vector<std::string> names() const;
  // The files of the group and of the shared one; a shared file with the name of one of the group is left out. An empty
  // name means no group.
  std::vector<SourceFile> files_of(const std::string& group) const;

 private:
  std::map<std::string, std::vector<SourceFile>> groups_;
};

}  // namespace xcuda::nvcc
