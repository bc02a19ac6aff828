// The lines that failed device asserts print, one for each thread, as one report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/dim3.hpp"

namespace xcuda::session {

// The threads of one assert that failed.
struct FailedAssert {
  std::string source;  // "In[7]"
  int line = 0;
  std::string condition;              // as it is written
  std::vector<device::Dim3> blocks;   // each once, in the order that they were printed
  std::vector<device::Dim3> threads;  // of the first block, in the order that they were printed
  std::uint64_t count = 0;            // threads of all blocks
};

// "27 of 32 threads of block (0, 0, 0): 5 to 31"; nothing for a single thread. block: extents, if they are known.
std::string threads_text(const FailedAssert& failed, const std::optional<device::Dim3>& block = std::nullopt);

// Takes asserts out of what a device's process writes to stderr, and hands on everything else.
class AssertLines {
 public:
  using Write = std::function<void(std::string_view)>;
  void take(std::string_view text, const Write& write);
  void flush(const Write& write);      // a last line without its end
  std::vector<FailedAssert> failed();  // so far, in the order of their first lines; forgets them

 private:
  bool add(std::string_view line);

  std::string rest_;  // a line that has not ended
  std::vector<FailedAssert> failed_;
};

}  // namespace xcuda::session
