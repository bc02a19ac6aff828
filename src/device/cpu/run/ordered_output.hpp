// What the blocks of a launch print, in the order of the blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace xcuda::device::cpu {

using TextSink = std::function<void(std::string_view)>;
TextSink descriptor_sink(int descriptor);  // until its reader is gone

// Blocks are numbered from 0 and printed in runs [begin, end) that one thread executes in order. The text of the
// first run that is not complete yet goes out while it runs; later ones wait for their turn.
class OrderedOutput {
 public:
  OrderedOutput(const TextSink& sink, std::uint64_t limit) : sink_(sink), limit_(limit) {}

  // text is the thread's own buffer for this run; it is emptied when it is taken.
  void print(std::uint64_t begin, std::string& text);  // in the middle of a run
  void complete(std::uint64_t begin, std::uint64_t end, std::string& text);
  // The launch is over, complete or not: whatever is left goes out, in order.
  void finish();

 private:
  void write(std::string& text);

  struct Run {
    std::uint64_t end;
    std::string text;
  };
  const TextSink& sink_;
  std::uint64_t limit_;  // bytes that may wait
  std::mutex mutex_;
  std::map<std::uint64_t, Run> waiting_;
  std::uint64_t next_ = 0, held_ = 0, dropped_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace xcuda::device::cpu
