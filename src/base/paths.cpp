#include "base/paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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

// A folder of the user's: as the variable says, else below the home folder; empty without both.
fs::path user_folder(const char* variable, const char* below_home) {
  if (auto folder = from_environment(variable); !folder.empty()) return folder;
  const auto home = from_environment("HOME");
  return home.empty() ? home : home / below_home;
}

bool is_program(const fs::path& path) {
  std::error_code unknown;
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, unknown);
}

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

fs::path cache_folder(std::string_view part) {
  if (const auto own = from_environment("XCUDA_CACHE_DIR"); !own.empty()) return own / part;
  const auto cache = user_folder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? cache : cache / "xeus-cuda" / part;
}

fs::path data_file(std::string_view name) {
  const auto data = user_folder("XDG_DATA_HOME", ".local/share");
  return data.empty() ? data : data / "xcuda" / name;
}

std::variant<File, Error> open_private_folder(const fs::path& folder) {
  const auto refused = [&](std::string why) {
    return Error(ErrorKind::io, fmt::format("cannot use the folder {}", folder.string())).said(std::move(why));
  };
  File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about {};
  // Asked of what is open: a name may mean another folder a moment later.
  if (!file || fstat(file.get(), &about) != 0) return refused(errno_text(errno));
  if (about.st_uid != geteuid()) return refused("it belongs to another user");
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refused("other users may write to it");
  if ((about.st_mode & 0077) != 0 && fchmod(file.get(), 0700) != 0) return refused(errno_text(errno));
  return file;
}

std::variant<File, Error> make_private_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno == ENOENT) {
    std::error_code seen_below;
    const auto parent = folder.parent_path();
    fs::create_directories(parent.parent_path(), seen_below);
    mkdir(parent.c_str(), 0700);
    mkdir(folder.c_str(), 0700);
  }
  return open_private_folder(folder);
}

namespace {

// A folder that only this process knows; removed with it when it is empty.
class FreshFolder {
 public:
  explicit FreshFolder(const fs::path& base) : path_((base / fmt::format("xeus-cuda-{}-XXXXXX", geteuid())).string()) {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~FreshFolder() {
    if (!path_.empty()) rmdir(path_.c_str());
  }
  FreshFolder(const FreshFolder&) = delete;
  FreshFolder& operator=(const FreshFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool is_usable(const fs::path& folder) { return std::holds_alternative<File>(make_private_folder(folder)); }

}  // namespace

fs::path runtime_folder() {
  if (const auto base = from_environment("XDG_RUNTIME_DIR"); !base.empty() && access(base.c_str(), W_OK) == 0)
    if (auto folder = base / "xeus-cuda"; is_usable(folder)) return folder;
  std::error_code error;
  auto base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  // Anybody can take this name in a folder that all may write to.
  if (auto folder = base / fmt::format("xeus-cuda-{}", geteuid()); is_usable(folder)) return folder;
  static const FreshFolder fresh(base);
  return fresh.path();
}

std::optional<TemporaryFolder> TemporaryFolder::make(std::string_view name) {
  const auto base = runtime_folder();
  auto pattern = (base / fmt::format("{}-XXXXXX", name)).string();
  if (base.empty() || mkdtemp(pattern.data()) == nullptr) return std::nullopt;
  TemporaryFolder folder;
  folder.path_ = pattern;
  folder.lock_ = locked(pattern);
  return folder;
}

TemporaryFolder::TemporaryFolder(std::string_view name) {
  auto made = make(name);
  if (!made)
    throw Error(ErrorKind::io, fmt::format("cannot create a temporary folder for {}", name))
        .advise("Set XDG_RUNTIME_DIR or TMPDIR to a writable folder.");
  *this = std::move(*made);
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

fs::path prefix_of(const fs::path& program) {
  const auto folder = program.parent_path();
  if (folder.filename() != "bin") return {};
  const auto above = folder.parent_path();
  const bool wheel = above.filename() == "xeus-cuda" && above.parent_path().filename() == "lib";
  return wheel ? above.parent_path().parent_path() : above;
}

fs::path install_prefix() { return prefix_of(program_path()); }

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
      .advise("Check the installation: keep the programs of xeus-cuda in one folder.");
}

namespace {

std::vector<fs::path> shared_folders() {
  std::vector<fs::path> folders;
  if (auto own = from_environment("XCUDA_SHARE"); !own.empty()) folders.push_back(own);
  for (auto above = program_path().parent_path(); above.has_relative_path(); above = above.parent_path())
    folders.push_back(above / "share");
  return folders;
}

}  // namespace

std::optional<fs::path> find_shared_file(std::string_view relative) {
  std::error_code error;
  for (const auto& folder : shared_folders())
    if (auto path = folder / relative; fs::exists(path, error)) return path;
  return std::nullopt;
}

fs::path shared_file(std::string_view relative) {
  if (auto path = find_shared_file(relative)) return *path;
  throw Error(ErrorKind::io, fmt::format("cannot find share/{}", relative))
      .said("looked in " + listed(shared_folders()))
      .advise("Check the installation, or set XCUDA_SHARE to the folder.");
}

}  // namespace xcuda
