#include "kernel/input_history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace xcuda::kernel {
namespace {

using Json = nlohmann::json;

// Held while the file is changed, against other kernels. It never waits: the holder may be stopped, or hang itself.
class FileLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {
    int failed = 0;
    while ((failed = flock(fd_, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {}
    held_ = failed == 0 || errno != EWOULDBLOCK;  // a file system without locks does without
  }
  ~FileLock() {
    if (held_) flock(fd_, LOCK_UN);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  explicit operator bool() const { return held_; }

 private:
  int fd_;
  bool held_;
};

// The end of the file, at most so many bytes, from the beginning of a line.
std::string read_end(int fd, std::size_t most) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || status.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto start = size - std::min(size, most);
  std::string text(size - start, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const auto got = pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(start + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  if (start > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool ends_in_a_line(int fd) {
  struct stat status {};
  char last = '\n';
  return fstat(fd, &status) != 0 || status.st_size == 0 || pread(fd, &last, 1, status.st_size - 1) != 1 || last == '\n';
}

constexpr std::string_view kFresh = ".new-XXXXXX";  // as mkostemp() replaces it

// What a kernel left that was killed while it shortened the file; the caller holds the file's lock.
void remove_left_over(const std::filesystem::path& path) {
  constexpr std::size_t kRandom = 6;  // characters at the end of kFresh
  const auto prefix = path.filename().string() + std::string(kFresh.substr(0, kFresh.size() - kRandom));
  std::error_code failed;
  for (std::filesystem::directory_iterator at(path.parent_path(), failed), end; !failed && at != end;
       at.increment(failed)) {
    const auto name = at->path().filename().string();
    std::error_code kept;
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandom && at->is_regular_file(kept))
      std::filesystem::remove(at->path(), kept);
  }
}

// Writes the whole text or nothing: a full disk must not leave half a line.
bool write_whole(int fd, std::string_view text) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return false;
  if (write_all(fd, text)) return true;
  const int failed = errno;
  [[maybe_unused]] const auto cut = ftruncate(fd, status.st_size);
  errno = failed;
  return false;
}

// Nothing for a line that is torn or foreign. line 0 marks the beginning of a session.
std::optional<HistoryEntry> parse_line(std::string_view text) {
  const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto session = json.find("s"), line = json.find("l"), code = json.find("c");
  if (session == json.end() || !session->is_number_integer() || line == json.end() || !line->is_number_integer())
    return std::nullopt;
  constexpr int kLargest = 1'000'000'000;
  if (*session < 1 || *session > kLargest || *line < 0 || *line > kLargest) return std::nullopt;
  HistoryEntry entry{session->get<int>(), line->get<int>(), {}};
  if (entry.line > 0) {
    if (code == json.end() || !code->is_string()) return std::nullopt;
    entry.code = code->get<std::string>();
  }
  return entry;
}

std::string to_line(const HistoryEntry& entry) {
  Json json{{"s", entry.session}, {"l", entry.line}, {"t", static_cast<std::int64_t>(std::time(nullptr))}};
  if (entry.line > 0) json["c"] = entry.code;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<HistoryEntry> newest(std::vector<HistoryEntry> entries, int count) {
  if (count >= 0 && entries.size() > static_cast<std::size_t>(count))
    entries.erase(entries.begin(), entries.end() - count);
  return entries;
}

std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

// One character of text against one element of the pattern; consumes both when they match.
bool match_one(std::string_view& pattern, std::string_view& text) {
  const auto character = text.substr(0, character_size(text));
  auto rest = pattern;
  if (rest.front() == '?') {
    rest.remove_prefix(1);
  } else if (const auto close = rest.front() == '['
                                    ? rest.find(']', rest.size() > 1 && (rest[1] == '!' || rest[1] == '^') ? 3 : 2)
                                    : std::string_view::npos;
             close != std::string_view::npos) {
    auto set = rest.substr(1, close - 1);
    const bool negated = set.front() == '!' || set.front() == '^';
    if (negated) set.remove_prefix(1);
    bool inside = false;
    while (!set.empty()) {
      const auto low = set.substr(0, character_size(set));
      set.remove_prefix(low.size());
      auto high = low;
      if (set.size() > 1 && set.front() == '-') {
        set.remove_prefix(1);
        high = set.substr(0, character_size(set));
        set.remove_prefix(high.size());
      }
      inside = inside || (low <= character && character <= high);  // UTF-8 sorts as its code points do
    }
    if (inside == negated) return false;
    rest.remove_prefix(close + 1);
  } else {
    const auto wanted = rest.substr(0, character_size(rest));
    if (wanted != character) return false;
    rest.remove_prefix(wanted.size());
  }
  pattern = rest;
  text.remove_prefix(character.size());
  return true;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  // The last star takes one character more each time what follows it fails: no recursion, whatever the cell's length.
  std::optional<std::string_view> star_pattern;
  std::string_view star_text;
  while (!text.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
    } else if (!pattern.empty() && match_one(pattern, text)) {
      continue;
    } else if (star_pattern) {
      star_text.remove_prefix(character_size(star_text));
      pattern = *star_pattern;
      text = star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*') == std::string_view::npos;
}

History::History(std::string path, std::size_t max_bytes, Say say)
    : path_(std::move(path)), max_bytes_(max_bytes), say_(std::move(say)) {}

History::~History() {
  if (path_.empty()) return;
  for (int attempt = 0; attempt < 100 && written_ < own_.size() && !complained_; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    write_waiting();
  }
  if (written_ < own_.size()) complain("another process holds its lock");
}

void History::complain(const std::string& why) {
  if (say_ && !std::exchange(complained_, true))
    say_(fmt::format("history: {}: {}; this session's cells are kept in memory only", path_, why));
}

bool History::open_file(Access access) {
  if (path_.empty()) return false;
  if (file_) {
    struct stat status {};
    const bool current =
        fstat(file_.get(), &status) == 0 && status.st_nlink > 0;  // else another kernel has replaced it
    if (current && (writable_ || access == Access::read)) return true;
  }
  std::error_code ignored;
  const auto folder = std::filesystem::path(path_).parent_path();
  if (!std::filesystem::exists(folder, ignored)) {
    std::filesystem::create_directories(folder.parent_path(), ignored);
    mkdir(folder.c_str(), 0700);
  }
  // O_NONBLOCK: a FIFO has no reader, and is refused below.
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  file_.reset(open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | kFlags, 0600));
  writable_ = static_cast<bool>(file_);
  if (!file_) {
    complain(errno_text(errno));
    file_.reset(open(path_.c_str(), O_RDONLY | kFlags));
  }
  struct stat status {};
  if (file_ && (fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())) {
    complain(S_ISREG(status.st_mode) ? "it belongs to another user" : "it is not a regular file");
    file_.reset();
  }
  return file_ && (writable_ || access == Access::read);
}

std::string History::read_newest() {
  return open_file(Access::read) ? read_end(file_.get(), 2 * max_bytes_) : std::string();
}

// One more than any that the file knows.
void History::number_session(const std::string& text) {
  session_ = 1;
  for (const auto line : split_lines(text))
    if (const auto entry = parse_line(line)) session_ = std::max(session_, entry->session + 1);
  for (auto& entry : own_) entry.session = session_;
}

// Marks the session's beginning, under the lock.
bool History::begin() {
  number_session(read_end(file_.get(), 2 * max_bytes_));
  // After a torn last line the new one must not be torn, too.
  const std::string start = ends_in_a_line(file_.get()) ? "" : "\n";
  begun_ = write_whole(file_.get(), start + to_line({session_, 0, {}}));
  return begun_;
}

void History::shorten() {
  const FileLock lock(file_.get());
  struct stat status {};
  // Another kernel may have shortened it meanwhile: then this is the old file, whose lock does not protect the new one.
  if (!lock || fstat(file_.get(), &status) != 0 || status.st_nlink == 0) return;
  remove_left_over(path_);
  if (static_cast<std::size_t>(status.st_size) <= max_bytes_) return;
  auto fresh_path = path_ + std::string(kFresh);
  const File fresh(mkostemp(fresh_path.data(), O_CLOEXEC));  // 0600
  if (!fresh) return;
  if (!write_all(fresh.get(), read_end(file_.get(), max_bytes_ / 2)) || rename(fresh_path.c_str(), path_.c_str()) != 0)
    unlink(fresh_path.c_str());
}

void History::write_waiting() {
  if (!begun_ && open_file(Access::write)) shorten();
  // Between opening and locking, another kernel may replace the file: look again under the lock.
  for (int attempt = 0; attempt < 8 && open_file(Access::write); ++attempt) {
    const FileLock lock(file_.get());
    if (!lock) return;  // the next cell tries again
    struct stat status {};
    if (fstat(file_.get(), &status) != 0 || status.st_nlink == 0) continue;
    if (!begun_ && !begin()) return complain(errno_text(errno));
    for (; written_ < own_.size(); ++written_) {
      const auto& entry = own_[written_];
      if (entry.code.size() > max_bytes_ / 8) continue;
      if (!write_whole(file_.get(), to_line(entry))) return complain(errno_text(errno));
    }
    return;
  }
}

void History::store(int line, std::string_view code) {
  if (session_ == 0) number_session(read_newest());
  own_.push_back({session_, line, std::string(code)});
  write_waiting();
}

std::vector<HistoryEntry> History::all() {
  const auto text = read_newest();
  if (!begun_) number_session(text);
  if (written_ < own_.size()) write_waiting();
  std::vector<HistoryEntry> entries;
  for (const auto line : split_lines(text))
    if (auto entry = parse_line(line); entry && entry->line > 0 && !(begun_ && entry->session == session_))
      entries.push_back(std::move(*entry));
  entries.insert(entries.end(), own_.begin(), own_.end());
  return entries;
}

std::vector<HistoryEntry> History::tail(int count) { return newest(all(), std::max(count, 0)); }

std::vector<HistoryEntry> History::range(const HistoryRange& range) {
  auto entries = all();
  const int session = range.session > 0 ? range.session : session_ + range.session;
  std::erase_if(entries, [&](const HistoryEntry& entry) { return entry.session != session; });
  const int end = entries.empty() ? 1 : entries.back().line + 1;
  const int first = range.first < 0 ? end + range.first : range.first;
  const int stop = range.stop == 0 ? end : range.stop < 0 ? end + range.stop : range.stop;
  std::erase_if(entries, [&](const HistoryEntry& entry) { return entry.line < first || entry.line >= stop; });
  return entries;
}

std::vector<HistoryEntry> History::search(const HistorySearch& search) {
  auto entries = all();
  std::erase_if(entries, [&](const HistoryEntry& entry) { return !glob_match(search.pattern, entry.code); });
  if (search.unique) {
    std::unordered_set<std::string_view> seen;
    std::vector<HistoryEntry> kept;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
      if (seen.insert(entry->code).second) kept.push_back(*entry);
    std::reverse(kept.begin(), kept.end());
    entries = std::move(kept);
  }
  return newest(std::move(entries), search.count);
}

}  // namespace xcuda::kernel
