// Waiting for a word of shared memory to change, between processes. Fit for signal handlers: no allocation, no lock.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace xcuda {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Returns when the word is another one, and now and then before.
inline void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

inline void wake_one(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace xcuda
