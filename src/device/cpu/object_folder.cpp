#include "device/cpu/object_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace xcuda::device::cpu {
namespace {

namespace fs = std::filesystem;

// An entry is this, then the key, then the object. The checksum is of the object.
struct Header {
  std::array<char, 8> magic = {'x', 'c', 'u', 'd', 'a', 'o', 'b', '1'};
  std::uint64_t key_size = 0, object_size = 0, checksum = 0;
};

// FNV-1a over words: against truncation and bit rot, not against an attacker, whom the folder's mode keeps out.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    sum = (sum ^ word) * 0x100'0000'01b3;
    sum ^= sum >> 32;
  }
  for (; at < bytes.size(); ++at) sum = (sum ^ static_cast<std::uint64_t>(bytes[at])) * 0x100'0000'01b3;
  return sum;
}

bool read_all(int file, void* to, std::size_t size) {
  for (auto* at = static_cast<char*>(to); size > 0;) {
    const ssize_t got = read(file, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int file, const void* from, std::size_t size) {
  for (const auto* at = static_cast<const char*>(from); size > 0;) {
    const ssize_t put = write(file, at, size);
    if (put <= 0) return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

// Only a folder that is the user's own and closed to others: its objects are executed.
bool is_private(const fs::path& folder) {
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

bool is_file_name(const std::string& key) {
  return !key.empty() && key.size() <= 200 && key[0] != '.' && key.find('/') == key.npos && key.find('\0') == key.npos;
}

}  // namespace

// As base's cache_folder() says, but without a folder nothing fails: nothing is kept.
fs::path ObjectFolder::default_folder() {
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);
    return value && value[0] == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path own = absolute("XCUDA_CACHE_DIR"); !own.empty()) return own / "cpu";
  if (const fs::path cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return cache / "xeus-cuda" / "cpu";
  if (const fs::path home = absolute("HOME"); !home.empty()) return home / ".cache" / "xeus-cuda" / "cpu";
  return {};
}

ObjectFolder::ObjectFolder(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {
  if (folder_.empty()) return;
  std::error_code error;
  if (folder_.has_parent_path()) {
    fs::create_directories(folder_.parent_path().parent_path(), error);
    mkdir(folder_.parent_path().c_str(), 0700);
  }
  mkdir(folder_.c_str(), 0700);
  if (!is_private(folder_)) folder_.clear();
}

std::optional<std::vector<std::byte>> ObjectFolder::find(const std::string& key) {
  if (folder_.empty() || !is_file_name(key)) return std::nullopt;
  const fs::path path = folder_ / key;
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return std::nullopt;
  struct stat status {};
  Header header;
  std::optional<std::vector<std::byte>> object;
  if (fstat(file.get(), &status) == 0 && read_all(file.get(), &header, sizeof header)) {
    const std::uint64_t size = sizeof header + header.key_size + header.object_size;
    const bool whole = header.magic == Header{}.magic && header.key_size == key.size() &&
                       static_cast<std::uint64_t>(status.st_size) == size;
    std::string stored(key.size(), '\0');
    if (whole && read_all(file.get(), stored.data(), stored.size()) && stored == key) {
      object.emplace(header.object_size);
      if (!read_all(file.get(), object->data(), object->size()) || checksum_of(*object) != header.checksum)
        object.reset();
    }
  }
  if (object)
    futimens(file.get(), nullptr);  // used now: the oldest go first
  else
    unlink(path.c_str());
  return object;
}

void ObjectFolder::keep(const std::string& key, std::span<const std::byte> object) {
  if (folder_.empty() || !is_file_name(key)) return;
  Header header;
  header.key_size = key.size();
  header.object_size = object.size();
  header.checksum = checksum_of(object);
  // Written aside and moved into place, so that another process sees all of it or nothing.
  std::string aside = (folder_ / ".new-XXXXXX").string();
  const File file(mkostemp(aside.data(), O_CLOEXEC));
  if (!file) return;
  const bool written = write_all(file.get(), &header, sizeof header) && write_all(file.get(), key.data(), key.size()) &&
                       write_all(file.get(), object.data(), object.size());
  if (!written || rename(aside.c_str(), (folder_ / key).c_str()) != 0) {
    unlink(aside.c_str());
    return;
  }
  written_ += sizeof header + key.size() + object.size();
  if (!measured_ || written_ > limit_ / 8) shrink();
}

// Removes the oldest entries until an eighth of the limit is free.
void ObjectFolder::shrink() {
  measured_ = true;
  written_ = 0;
  struct Entry {
    fs::path path;
    std::uint64_t size;
    fs::file_time_type time;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // another process may remove it meanwhile
    const std::uint64_t size = at->file_size(gone);
    const fs::file_time_type time = at->last_write_time(gone);
    if (gone) continue;
    // What a killed process left half-written.
    if (at->path().filename().string().starts_with(".new-")) {
      if (fs::file_time_type::clock::now() - time > std::chrono::hours(1)) fs::remove(at->path(), gone);
      continue;
    }
    entries.push_back({at->path(), size, time});
    total += size;
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= limit_ - limit_ / 8) break;
    fs::remove(entry.path, error);
    total -= entry.size;
  }
}

}  // namespace xcuda::device::cpu
