#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/abandoned.hpp"
#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/process_limits.hpp"

namespace xcuda {
namespace {

namespace fs = std::filesystem;

// The file that a name means when its last part is a link, whether that file is there or not.
fs::path link_target(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system counts them
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code no_link;
    const auto target = fs::read_symlink(path, no_link);
    if (no_link) return path;
    path = path.parent_path() / target;  // an absolute target replaces all of it
  }
  return path;  // stat() has said ELOOP by then
}

constexpr std::string_view kTemporary = ".xcuda-", kTemporaryEnd = ".part";

// What killed processes left in a folder, when this one first writes there.
void clean(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> cleaned;
  std::error_code unknown;
  const std::lock_guard lock(mutex);
  if (!cleaned.insert(fs::absolute(folder.empty() ? "." : folder, unknown)).second) return;
  const File opened(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return;
  remove_abandoned_files(
      opened, [](std::string_view name) { return name.starts_with(kTemporary) && name.ends_with(kTemporaryEnd); });
}

// Creates a file that nobody else has, beside the target. The mode is what the user's umask leaves.
File create_beside(const fs::path& target, std::string& name) {
  static std::atomic<unsigned> count = 0;
  clean(target.parent_path());
  for (;;) {
    name = (target.parent_path() / fmt::format("{}{}-{}{}", kTemporary, getpid(), ++count, kTemporaryEnd)).string();
    File file(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file ? hold(file) : errno != EEXIST) return file;
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path.find('\0') != std::string::npos) fail("its name holds a NUL byte", "Write to another name.");
  struct stat about {};
  const bool exists = stat(path.c_str(), &about) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && !S_ISREG(about.st_mode))
    fail(fmt::format("it is {}, not a file", file_type_name(about.st_mode)), "Write to another name.");
  // It would be replaced, and so a file that may not be written would be lost.
  if (exists && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  target_ = link_target(path).string();
  if (target_.empty() || target_.ends_with('/')) fail(path.empty() ? ENOENT : EISDIR);

  file_ = create_beside(target_, temporary_);
  if (!file_) {
    const int reason = errno;
    temporary_.clear();
    fail(reason);
  }
  // The owner first, since that takes bits of the mode away. Only root may give a file to another user.
  if (exists && (about.st_uid != geteuid() || about.st_gid != getegid())) [[maybe_unused]]
    const int ignored = fchown(file_.get(), about.st_uid, about.st_gid);
  if (exists && fchmod(file_.get(), about.st_mode & 07777) != 0) {
    const int reason = errno;
    unlink(temporary_.c_str());
    fail(reason);
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(std::string why, std::string advice) const {
  throw Error(ErrorKind::io, fmt::format("cannot write {}", shown_path(path_)))
      .said(std::move(why))
      .advise(std::move(advice));
}

void OutputFile::fail(int reason) const {
  auto advice = open_files_advice(reason);
  if (advice.empty()) advice = "Write to another folder.";
  if (reason == ENOENT) advice = "Make its folder first, with !mkdir -p, or write to another.";
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    advice = "Make room, or write to another folder: a file that was there before is as it was.";
  fail(errno_text(reason), std::move(advice));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto done = ::write(file_.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto done = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::commit() {
  // Some file systems find only now that they are full.
  if (fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  const File held(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));  // its lock, until the file has its name
  if (close(file_.release()) != 0 && errno != EINTR) fail(errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  // So that the new name outlives a loss of power, too. What was written is safe without it.
  const auto folder = fs::path(target_).parent_path();
  const File opened(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) fsync(opened.get());
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file(const std::string& path, std::string_view text) { write_file(path, std::as_bytes(std::span(text))); }

}  // namespace xcuda
