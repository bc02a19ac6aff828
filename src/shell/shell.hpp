// The shell of a session: commands, one after the other, in a process of their own that is started with the first.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "base/worker.hpp"

namespace xcuda::shell {

// A process that a command left in the background.
struct Left {
  pid_t pid = 0;
  std::string command;
};

struct CommandEnd {
  int status = 0;          // of the shell, as waitpid() has it
  bool late = false;       // it was ended because its time was up
  std::size_t crowd = 0;   // it was killed because it had so many processes
  std::vector<Left> left;  // still running; the first of them
  std::size_t more = 0;    // how many more are running
};

struct Command {
  std::string line;                                                    // for /bin/sh
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  // the command is ended at it, as by an interrupt
  std::vector<std::string> environment = {};                           // "NAME=value", in place of this process's
  std::uint64_t processes = 0;                                         // how many it may have at once; 0: no limit
};

class Shell {
 public:
  Shell();
  ~Shell();  // ends everything that its commands have left
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  using Output = std::function<void(OutputStream, std::string_view)>;
  // Runs a line with /bin/sh, in the folder and the environment that this process has now, until the shell ends. The
  // result lists what runs on in the background; its output is dropped. An interrupt asks the shell's process group to
  // end (SIGINT, then SIGTERM, then SIGKILL); a second one kills it. Errors: io.
  CommandEnd run(const Command& command, const Output& on_output, Interrupt& interrupt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A word of /bin/sh that means this text and nothing else.
std::string quoted(std::string_view text);

}  // namespace xcuda::shell
