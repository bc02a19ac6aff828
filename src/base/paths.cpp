#include "base/paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace xcuda {
namespace fs = std::filesystem;
namespace {

// The XDG rules: a relative path counts as none.
fs::path from_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  fs::path path = text != nullptr ? text : "";
  return path.is_absolute() ? path : fs::path();
}

fs::path home_folder() {
  if (auto home = from_environment("HOME"); !home.empty()) return home;
  const auto* const entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? fs::path(entry->pw_dir) : fs::path("/");
}

fs::path xdg_folder(const char* variable, const char* below_home) {
  auto base = from_environment(variable);
  if (base.empty()) base = home_folder() / below_home;
  return base / "xeus-cuda";
}

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

std::string listed(const std::vector<fs::path>& paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.string();
  return text;
}

// The folder, held by this process alone; nothing when another one holds it. A process that ends lets go, however it
// ends.
File locked(const fs::path& folder) {
  File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

}  // namespace

fs::path make_private_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(ErrorKind::io, fmt::format("cannot make the folder {}", folder.string())).said(errno_text(errno));
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw Error(ErrorKind::io, fmt::format("{} is not a folder", folder.string()));
  if (status.st_uid != geteuid())
    throw Error(ErrorKind::io, fmt::format("the folder {} belongs to another user", folder.string()))
        .advise("Set XDG_CACHE_HOME, XDG_DATA_HOME or XDG_RUNTIME_DIR to a folder of your own.");
  if ((status.st_mode & 0077) != 0 && chmod(folder.c_str(), 0700) != 0)
    throw Error(ErrorKind::io, fmt::format("cannot make the folder {} private", folder.string()))
        .said(errno_text(errno));
  return folder;
}

fs::path cache_folder() {
  if (auto own = from_environment("XCUDA_CACHE_DIR"); !own.empty()) return make_private_folder(own);
  return make_private_folder(xdg_folder("XDG_CACHE_HOME", ".cache"));
}

fs::path data_folder() { return make_private_folder(xdg_folder("XDG_DATA_HOME", ".local/share")); }

fs::path runtime_folder() {
  if (auto base = from_environment("XDG_RUNTIME_DIR"); !base.empty() && access(base.c_str(), W_OK) == 0)
    return make_private_folder(base / "xeus-cuda");
  std::error_code error;
  auto base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  return make_private_folder(base / fmt::format("xeus-cuda-{}", geteuid()));
}

TemporaryFolder::TemporaryFolder(std::string_view name) {
  auto pattern = (runtime_folder() / fmt::format("{}-XXXXXX", name)).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error(ErrorKind::io, fmt::format("cannot make a temporary folder {}", pattern)).said(errno_text(errno));
  path_ = pattern;
  lock_ = locked(path_);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

void remove_abandoned_folders(const fs::path& folder) {
  constexpr time_t kNewSeconds = 60;  // between being made and being locked
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    struct stat status {};
    const auto name = at->path().filename().string();
    if (name.size() < 8 || name[name.size() - 7] != '-') continue;  // mkdtemp's names
    if (lstat(at->path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
    if (time(nullptr) - status.st_mtime < kNewSeconds) continue;
    std::error_code ignored;
    if (const auto lock = locked(at->path())) fs::remove_all(at->path(), ignored);
  }
}

fs::path program_path() {
  std::error_code error;
  auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::io, "cannot find the running program by /proc/self/exe").said(error.message());
  return path;
}

namespace {

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  if (auto own = from_environment("XCUDA_PROGRAMS"); !own.empty()) folders.push_back(own);
  const auto here = program_path().parent_path();
  folders.push_back(here);
  folders.push_back(here.parent_path() / "libexec" / "xeus-cuda");
  folders.push_back(here.parent_path() / "src" / "programs");
  folders.push_back(here.parent_path().parent_path() / "src" / "programs");
  return folders;
}

}  // namespace

std::optional<fs::path> find_sibling_program(std::string_view name) {
  for (const auto& folder : program_folders())
    if (auto path = folder / name; is_program(path)) return path;
  return std::nullopt;
}

fs::path sibling_program(std::string_view name) {
  if (auto path = find_sibling_program(name)) return *path;
  throw Error(ErrorKind::io, fmt::format("cannot find the program {}", name))
      .said("looked in " + listed(program_folders()))
      .advise("Check the installation: the programs of xeus-cuda stay together in one folder.");
}

fs::path shared_file(std::string_view relative) {
  std::vector<fs::path> folders;
  if (auto own = from_environment("XCUDA_SHARE"); !own.empty()) folders.push_back(own);
  for (auto above = program_path().parent_path(); above.has_relative_path(); above = above.parent_path())
    folders.push_back(above / "share");
  std::error_code error;
  for (const auto& folder : folders)
    if (auto path = folder / relative; fs::exists(path, error)) return path;
  throw Error(ErrorKind::io, fmt::format("cannot find share/{}", relative))
      .said("looked in " + listed(folders))
      .advise("Check the installation, or name the folder in XCUDA_SHARE.");
}

}  // namespace xcuda
