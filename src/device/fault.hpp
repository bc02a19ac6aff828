// What ended a launch, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/dim3.hpp"

namespace xcuda::device {

enum class FaultKind : std::uint8_t {
  illegal_address,
  misaligned_address,
  out_of_bounds,
  null_pointer,
  race,
  uninitialised_read,
  stack_overflow,
  assertion,
  trap,
  illegal_instruction,
  out_of_memory,
  barrier,
  hardware,  // not the kernel: an error of the GPU's memory or links
  unsupported,
  time_limit,
  interrupted,
  worker_died,
  worker_hung,
  other,
};
std::string_view fault_name(FaultKind kind);  // "illegal address", ...
inline constexpr std::string_view kHardwareAdvice =
    "The GPU itself reports this: `nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER` and `sudo dmesg | grep Xid` say "
    "more. What its memory holds may be wrong; if it happens again, the GPU needs a reset or repair.";

enum class Access : std::uint8_t { unknown, read, write, atomic };

// The other thread's part in a race, or in a wait at two barriers. Its access came first.
struct OtherAccess {
  Access access = Access::unknown;  // unknown: it waits
  std::string who;                  // "thread (31, 0, 0)", "several threads"
  bool of_another_block = false;
  std::string source;
  int line = 0, column = 0;
};

struct Fault {
  FaultKind kind = FaultKind::other;
  std::vector<std::uint64_t> launches;  // the one at fault, or the candidates; empty when not a launch's
  std::string library;                  // what the library said, or the signal that ended the process
  std::string message;                  // one sentence for people, when the device can say more than `library`
  std::string entry;                    // PTX symbol, when known
  std::string source;                   // "In[7]" or a path; line and column from 1, 0 when unknown
  int line = 0, column = 0;
  std::optional<Dim3> block, thread;  // indices
  Access access = Access::unknown;
  std::uint32_t access_size = 0;  // bytes
  std::optional<Address> address;
  std::string array;  // the array's name; element is its index, which may be out of range
  std::optional<std::int64_t> element;
  std::uint64_t elements = 0;  // of that array
  std::optional<OtherAccess> other;
  std::uint32_t device = 0;  // of a set, which says so itself
  bool whole_set = false;    // no device of the set is left
};

}  // namespace xcuda::device
