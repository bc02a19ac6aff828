// The place in shared memory where a device leaves word of a fault that ends its process. Plain data, so that a signal
// handler may fill it: no allocation, no lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "device/device.hpp"

namespace xcuda::device {

struct FaultRecord {
  enum State : std::uint32_t { empty, writing, complete };
  std::atomic<std::uint32_t> state{empty};
  // The number of the launch that runs now, 0 between launches; kept up to date by devices that know. Names the launch
  // at fault when a process dies without a word.
  std::atomic<std::uint64_t> running{0};

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
