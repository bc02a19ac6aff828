// The processes that this one has started, directly or through others. One that calls setsid() or whose parent ends
// stays among them when this process is a subreaper (PR_SET_CHILD_SUBREAPER).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace xcuda::shell {

struct Process {
  pid_t pid = 0;
  std::uint64_t start = 0;  // clock ticks since the machine's start: a number may be given to another process later
  bool operator==(const Process&) const = default;
};

std::vector<Process> descendants();  // without those that have ended and wait to be reaped

// Its words with blanks between them, or its name where it has none; empty when it is gone. At most 100 bytes.
std::string command_line(pid_t pid);

// Kills them, and what they start meanwhile, and reaps. Gives up after some seconds on what may not be killed.
void end_descendants();

}  // namespace xcuda::shell
