// xcuda-shell: runs the commands of a session's shell, in a process of its own, started by xcuda. See
// shell/supervise.hpp.
#include "base/worker.hpp"
#include "shell/supervise.hpp"

int main(int argc, char** argv) {
  auto channel = xcuda::enter_worker(argc, argv, "xcuda-shell");
  return xcuda::shell::supervise(channel);
}
