// What was run, in this session and in earlier ones: one JSON object per line in a private file of the user, which
// several kernels append to at the same time. No cell ever waits for the file: when another process holds its lock, the
// lines are kept and written later.
//
//   {"s":12,"l":3,"t":1732099200,"c":"x"}     session, line (execution count), seconds since 1970, the cell
//   {"s":12,"l":0,"t":1732099190}             session 12 has begun
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/handle.hpp"

namespace xcuda::kernel {

struct HistoryEntry {
  int session = 0;
  int line = 0;
  std::string code;
  bool operator==(const HistoryEntry&) const = default;
};

struct HistorySearch {
  std::string pattern = "*";  // a glob over the whole cell: * ? [a-z] [!a-z]
  int count = -1;             // the newest ones; all when negative
  bool unique = false;        // only the newest of equal cells
};

// Lines first up to stop, stop excluded. A negative first or stop counts back from the end; no stop is the end.
struct HistoryRange {
  int session = 0;  // 0 is this one, -1 the one before
  int first = 1;
  int stop = 0;  // 0: no stop
};

// Not thread-safe. Lines that cannot be written to the file stay in memory for this session; the reason is given once.
class History {
 public:
  static constexpr std::size_t kMaxFileBytes = 4 << 20;  // beyond it the older half is given up
  using Say = std::function<void(const std::string& text)>;

  // path may be empty: nothing is kept beyond this session. Nothing is opened before the first use.
  explicit History(std::string path, std::size_t max_bytes = kMaxFileBytes, Say say = {});
  ~History();  // lines that wait for the lock have a second left
  History(History&&) = default;
  History& operator=(History&&) = delete;

  void store(int line, std::string_view code);
  std::vector<HistoryEntry> tail(int count);
  std::vector<HistoryEntry> range(const HistoryRange& range);
  std::vector<HistoryEntry> search(const HistorySearch& search);

 private:
  enum class Access { read, write };
  bool open_file(Access access);
  void number_session(const std::string& text);
  bool begin();
  void write_waiting();
  void shorten();
  std::string read_newest();
  std::vector<HistoryEntry> all();  // oldest first, this session last
  void complain(const std::string& why);

  std::string path_;
  std::size_t max_bytes_;
  Say say_;
  File file_;
  bool writable_ = false;  // file_
  bool complained_ = false;
  bool begun_ = false;  // the file says that the session has
  int session_ = 0;     // 0 until it is first needed; the file's next free one, and for certain once begun
  std::vector<HistoryEntry> own_;
  std::size_t written_ = 0;  // of own_
};

// Whether the glob matches the whole text, character by character of UTF-8.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace xcuda::kernel
