// Starting a process from a thread that lives as long as this one: PR_SET_PDEATHSIG in the child fires on the death of
// the *thread* that started it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/handle.hpp"

namespace xcuda {

// The child gets its own process group, no blocked signals, default handlers, stdin from /dev/null, and no descriptors
// but these.
struct SpawnRequest {
  std::string program;                                           // path
  std::vector<std::string> arguments;                            // without argv[0]
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  int out = -1, err = -1;                                        // become 1 and 2
  int socket = -1;                                               // becomes kWorkerSocket
};
constexpr int kWorkerSocket = 3;

pid_t spawn(const SpawnRequest& request);  // Error(io) when the program cannot be started

// A descriptor that is readable when the process has ended; empty where the system has none.
File process_descriptor(pid_t pid);

}  // namespace xcuda
