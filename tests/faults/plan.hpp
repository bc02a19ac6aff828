// A file that the preload library (fault_calls.cpp) and a test share: it says which call of which program fails, and
// how often each call was made.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace xcuda::test {

// The file's path; without it the library does nothing.
constexpr const char* kPlanVariable = "XCUDA_FAULT_PLAN";

// Processes whose calls are counted, by the names of their programs. The session runs in the test.
constexpr std::array<std::string_view, 5> kRoles = {"test_faults", "xcuda-compile", "xcuda-files", "xcuda-cpu",
                                                    "xcuda-shell"};

enum class Call : std::uint8_t {
  open,
  read,
  write,         // to a file
  write_stream,  // to a pipe or socket
  send,
  receive,
  poll,
  map,
  protect,
  memory_file,
  set_size,
  socket_pair,
  pipe,
  event,
  duplicate,
  watch_process,
  start_process,
  wait_process,
  start_thread,
  status,
  folder,
  list,
  sync,
  close,
  rename,
  lock,
  count_
};
constexpr auto kCalls = static_cast<std::size_t>(Call::count_);
constexpr std::array<std::string_view, kCalls> kCallNames = {
    "open",    "read",       "write",        "write-stream", "sendmsg",        "recvmsg", "poll",
    "mmap",    "mprotect",   "memfd_create", "fallocate",    "socketpair",     "pipe2",   "eventfd",
    "dup",     "pidfd_open", "posix_spawn",  "waitpid",      "pthread_create", "stat",    "mkdir",
    "opendir", "fsync",      "close",        "rename",       "flock"};

// Instead of a number of errno: the call moves a part of the bytes.
constexpr int kShort = -1;

// Where a process can be killed: before a call that changes a file, or after half of its bytes.
enum class Mode : std::uint8_t { off, count, fail, kill_before, kill_half };

struct Plan {
  std::atomic<Mode> mode;
  std::atomic<std::int32_t> role, call, fault;  // which call is meant, and an errno or kShort
  std::atomic<std::int64_t> left;               // calls until it happens: 1 is the next one
  std::atomic<std::uint32_t> struck;            // how often it happened
  std::array<std::array<std::atomic<std::uint32_t>, kCalls>, kRoles.size()> counts;
  std::array<std::atomic<std::uint32_t>, kRoles.size()> changes;  // calls that change a file, for the kill modes
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

}  // namespace xcuda::test
