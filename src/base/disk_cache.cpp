#include "base/disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/abandoned.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"

namespace xcuda {
namespace {

constexpr std::size_t kDigits = 64;                // of a SHA-256
constexpr std::string_view kUnfinished = ".new-";  // names of entries that are being written

// An entry is this, the key, the content. The checksum is of both, so that entries cannot take each other's places.
struct Header {
  std::array<char, 8> magic = {'x', 'c', 'u', 'd', 'a', 'c', 'a', '1'};
  std::uint64_t key_size = 0, content_size = 0;
  std::array<char, kDigits> checksum{};
};

std::array<char, kDigits> checksum_of(const std::string& key, std::span<const std::byte> content) {
  std::array<char, kDigits> digits{};
  std::memcpy(digits.data(), Sha256().add(key).add(content).hex().data(), kDigits);
  return digits;
}

std::string file_name(const std::string& key) { return Sha256().add(key).hex(); }

bool is_entry(std::string_view name) {
  return name.size() == kDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool read_all(const File& file, void* to, std::size_t size) {
  for (auto* at = static_cast<char*>(to); size > 0;) {
    const auto got = read(file.get(), at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(const File& file, const void* from, std::size_t size) {
  for (const auto* at = static_cast<const char*>(from); size > 0;) {
    const auto put = write(file.get(), at, size);
    if (put <= 0) return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

std::optional<std::vector<std::byte>> read_entry(const File& file, const std::string& key) {
  struct stat about {};
  Header header;
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid()) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < sizeof header + key.size() || !read_all(file, &header, sizeof header)) return std::nullopt;
  if (header.magic != Header{}.magic || header.key_size != key.size() ||
      header.content_size != size - sizeof header - key.size())
    return std::nullopt;
  std::string stored(key.size(), '\0');
  std::vector<std::byte> content(header.content_size);
  if (!read_all(file, stored.data(), stored.size()) || stored != key) return std::nullopt;
  if (!read_all(file, content.data(), content.size()) || checksum_of(key, content) != header.checksum)
    return std::nullopt;
  return content;
}

struct FolderTraits {
  using type = DIR*;
  static constexpr type kEmpty = nullptr;
  static void close(type raw) noexcept { closedir(raw); }
};

// Removes the entries not used for longest until a quarter of the bound is free.
void shrink(const File& folder, std::uint64_t bound) {
  struct Entry {
    std::string name;
    std::uint64_t size;
    timespec used;
  };
  remove_abandoned_files(folder, [](std::string_view name) { return name.starts_with(kUnfinished); });
  File copy(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy) return;
  const Handle<FolderTraits> list(fdopendir(copy.get()));
  if (!list) return;
  copy.release();
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  while (const auto* item = readdir(list.get())) {
    const std::string name = item->d_name;
    struct stat about {};
    if (!is_entry(name)) continue;  // not ours
    if (fstatat(folder.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
    total += static_cast<std::uint64_t>(about.st_size);
    entries.push_back({name, static_cast<std::uint64_t>(about.st_size), about.st_mtim});
  }
  if (total <= bound) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const auto& entry : entries) {
    if (total <= bound / 4 * 3) break;
    if (unlinkat(folder.get(), entry.name.c_str(), 0) == 0) total -= entry.size;
  }
}

}  // namespace

// Measured with the first entry that is stored: other processes may have filled it.
DiskCache::DiskCache(std::filesystem::path folder, std::uint64_t bound)
    : folder_(std::move(folder)), bound_(bound), stored_(bound) {}

std::optional<std::vector<std::byte>> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto opened = open_private_folder(folder_);
  const auto* folder = std::get_if<File>(&opened);
  if (folder == nullptr) return std::nullopt;
  const auto name = file_name(key);
  const File file(openat(folder->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  auto content = file ? read_entry(file, key) : std::nullopt;
  if (content)
    futimens(file.get(), nullptr);  // used now
  else
    unlinkat(folder->get(), name.c_str(), 0);
  return content;
}

void DiskCache::store(const std::string& key, std::span<const std::byte> content) {
  if (folder_.empty()) return;
  const auto opened = make_private_folder(folder_);
  const auto* folder = std::get_if<File>(&opened);
  if (folder == nullptr) return;
  static std::atomic<unsigned> count = 0;
  const auto unfinished = fmt::format("{}{}-{}", kUnfinished, getpid(), ++count);
  Header header;
  header.key_size = key.size();
  header.content_size = content.size();
  header.checksum = checksum_of(key, content);
  {
    const File file(
        openat(folder->get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    const bool whole = file && hold(file) && write_all(file, &header, sizeof header) &&
                       write_all(file, key.data(), key.size()) && write_all(file, content.data(), content.size());
    if (!whole || renameat(folder->get(), unfinished.c_str(), folder->get(), file_name(key).c_str()) != 0) {
      unlinkat(folder->get(), unfinished.c_str(), 0);
      return;
    }
  }
  stored_ += sizeof header + key.size() + content.size();
  if (stored_ < bound_ / 8) return;
  stored_ = 0;
  shrink(*folder, bound_);
}

}  // namespace xcuda
