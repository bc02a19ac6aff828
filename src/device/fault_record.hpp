// The place in shared memory where a device records a fault that ends its process. Plain data, so that a signal handler
// may fill it: no allocation, no lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "device/device.hpp"

namespace xcuda::device {

// A text that one thread writes again and again, and another process reads: whole, or not at all.
template <std::size_t N> class SharedText {
 public:
  void set(std::string_view text) {  // what does not fit is cut off
    version_.fetch_add(1);           // odd: it is being written
    const std::size_t size = std::min(text.size(), N);
    for (std::size_t i = 0; i < size; ++i) text_[i].store(text[i], std::memory_order_relaxed);
    size_.store(size, std::memory_order_relaxed);
    version_.fetch_add(1);
  }
  std::string get() const {  // empty while it is being written
    const auto version = version_.load();
    std::string text(std::min(size_.load(std::memory_order_relaxed), N), ' ');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = text_[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return version % 2 == 0 && version_.load() == version ? text : std::string();
  }

 private:
  std::atomic<std::uint32_t> version_{0};
  std::atomic<std::size_t> size_{0};
  std::atomic<char> text_[N] = {};
};

struct FaultRecord {
  enum State : std::uint32_t { empty, writing, complete };
  std::atomic<std::uint32_t> state{empty};
  // The number of the launch that runs now, 0 between launches; kept up to date by devices that know. Names the launch
  // at fault when a process dies without a report.
  std::atomic<std::uint64_t> running{0};
  // What the device does before it can run or answer, "compiling scan: optimisation"; empty otherwise.
  SharedText<240> doing;

  // What follows counts when state is `complete`. Texts end with a zero byte.
  FaultKind kind = FaultKind::other;
  Access access = Access::unknown;
  bool has_indices = false, has_address = false, has_element = false;
  std::uint32_t access_size = 0;
  std::int32_t line = 0, column = 0;
  std::uint32_t block[3] = {}, thread[3] = {};
  Address address = 0;
  std::int64_t element = 0;
  std::uint64_t elements = 0;
  std::uint32_t launch_count = 0;
  std::uint64_t launches[32] = {};  // the first ones; launch_count tells how many of them are set
  char library[512] = {}, message[1024] = {}, entry[512] = {}, source[256] = {}, array[128] = {};
  bool has_other = false, of_another_block = false;  // OtherAccess
  Access other_access = Access::unknown;
  std::int32_t other_line = 0, other_column = 0;
  char other_who[128] = {}, other_source[256] = {};

  // Takes the record for one writer: of several threads that fault at once, the first gets true.
  bool claim() {
    std::uint32_t expected = empty;
    return state.compare_exchange_strong(expected, writing);
  }
  void publish() { state.store(complete); }
};

// Copies as much as fits.
template <std::size_t N> void set_text(char (&to)[N], const char* from) {
  std::strncpy(to, from, N - 1);
  to[N - 1] = 0;
}

void write_fault(FaultRecord& record, const Fault& fault);   // claims, fills and publishes; not for signal handlers
std::optional<Fault> read_fault(const FaultRecord& record);  // nothing when no fault was published

}  // namespace xcuda::device
