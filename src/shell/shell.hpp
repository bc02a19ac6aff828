// The shell of a session: commands, one after the other, in a process of their own that is started with the first.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "base/worker.hpp"

namespace xcuda::shell {

// A process that a command has left in the background.
struct Left {
  pid_t pid = 0;
  std::string command;
};

struct CommandEnd {
  int status = 0;          // of the shell, as waitpid() has it
  std::vector<Left> left;  // still running; the first of them
  std::size_t more = 0;    // and how many more
};

class Shell {
 public:
  Shell();
  ~Shell();  // ends everything that its commands have left
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  using Output = std::function<void(OutputStream, std::string_view)>;
  // Runs a line with /bin/sh, in the folder and the environment that this process has now, until that ends; what runs
  // on in the background is told, and no more is heard of it. An interrupt asks the shell's process group to end
  // (SIGINT, then SIGTERM, then SIGKILL); a second one kills it. Errors: io.
  CommandEnd run(const std::string& line, const Output& on_output, Interrupt& interrupt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::shell
