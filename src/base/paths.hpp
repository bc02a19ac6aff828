// Where things are: the user's folders by the XDG rules, and what is installed beside the running program.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/handle.hpp"

namespace xcuda {

// Made when missing, readable by this user only. An existing folder that belongs to somebody else or that others may
// write is an Error(io): caches hold code that is run.
std::filesystem::path cache_folder();    // $XCUDA_CACHE_DIR, $XDG_CACHE_HOME/xeus-cuda, ~/.cache/xeus-cuda
std::filesystem::path data_folder();     // $XDG_DATA_HOME/xeus-cuda, ~/.local/share/xeus-cuda
std::filesystem::path runtime_folder();  // $XDG_RUNTIME_DIR/xeus-cuda, else in the folder for temporary files

std::filesystem::path make_private_folder(const std::filesystem::path& folder);

// A new folder in runtime_folder() that no other process uses; removed with the object. It is locked (flock) as long as
// this process lives.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  File lock_;
};

// Removes what processes that were killed left in a runtime folder: temporary folders that nobody holds any more.
void remove_abandoned_folders(const std::filesystem::path& folder);

std::filesystem::path program_path();  // of the running program, links resolved

// A program of xeus-cuda: $XCUDA_PROGRAMS, the running program's folder, the build tree's, ../libexec/xeus-cuda beside
// it. Error(io) with the places that were looked at.
std::filesystem::path sibling_program(std::string_view name);
std::optional<std::filesystem::path> find_sibling_program(std::string_view name);  // the same without an error

// A file or folder of share/: $XCUDA_SHARE, then share/ beside each folder above the running program's, nearest first
// (an installed prefix, a bundle, a build folder inside the source tree). Error(io) when it is nowhere.
std::filesystem::path shared_file(std::string_view relative);

}  // namespace xcuda
