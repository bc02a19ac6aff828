// Where things are: the user's folders by the XDG rules, and what is installed beside the running program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace xcuda {

// Where `part` of the user's cache is: $XCUDA_CACHE_DIR/<part>, $XDG_CACHE_HOME/xeus-cuda/<part>,
// ~/.cache/xeus-cuda/<part>. Empty without any of them. Nothing is made.
std::filesystem::path cache_folder(std::string_view part);

// Where a file of the user's data is: $XDG_DATA_HOME/xcuda/<name>, ~/.local/share/xcuda/<name>. Empty without either.
std::filesystem::path data_file(std::string_view name);

// The folder for sockets' neighbours and precompiled headers, private and made when it is missing:
// $XDG_RUNTIME_DIR/xeus-cuda, else xeus-cuda-UID in the folder for temporary files, else a new one there, which is
// removed with this process. Error(io) when all of them fail.
std::filesystem::path runtime_folder();

// A descriptor of a folder whose contents may be trusted: this user's own, closed to all others, and not a symbolic
// link, which could be redirected. A folder that others may only read is closed to them. Error(io), as a value, for any
// other.
std::variant<File, Error> open_private_folder(const std::filesystem::path& folder);
std::variant<File, Error> make_private_folder(const std::filesystem::path& folder);  // made first when it is missing

// A new folder in runtime_folder() that no other process uses; removed with the object. It is locked (flock) as long as
// this process lives.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view name);                    // Error(io)
  static std::optional<TemporaryFolder> make(std::string_view name);  // nothing where that is an error
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;

  std::filesystem::path path_;
  File lock_;
};

// Removes what processes that were killed left in a runtime folder: temporary folders that nobody holds any more.
void remove_abandoned_folders(const std::filesystem::path& folder);

std::filesystem::path program_path();  // of the running program, links resolved

// Where the running program is installed: of PREFIX/bin/xcuda, and of PREFIX/lib/xeus-cuda/bin/xcuda, where a wheel
// puts it. Empty for a program that is in neither.
std::filesystem::path install_prefix();
std::filesystem::path prefix_of(const std::filesystem::path& program);  // of another program

// A program of xeus-cuda: $XCUDA_PROGRAMS, the running program's folder, the build tree's, ../libexec/xeus-cuda beside
// it. Error(io) with the places that were looked at.
std::filesystem::path sibling_program(std::string_view name);
std::optional<std::filesystem::path> find_sibling_program(std::string_view name);  // the same without an error

// A file or folder of share/: $XCUDA_SHARE, then share/ beside each folder above the running program's, nearest first
// (an installed prefix, a bundle, a build folder inside the source tree). Error(io) when it is nowhere.
std::filesystem::path shared_file(std::string_view relative);
std::optional<std::filesystem::path> find_shared_file(std::string_view relative);  // the same without an error

}  // namespace xcuda
