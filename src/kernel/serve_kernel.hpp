// The command line of a kernel program, and its life from the connection file to the exit code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernel/engine.hpp"

namespace xcuda::kernel {

struct KernelProgram {
  std::string name;     // "xcuda"
  std::string version;  // "0.1.0"
  // Called once the ports are bound, on the main thread. It must not be slow: kernel_info waits for it.
  std::function<std::unique_ptr<Engine>()> make_engine;
  std::function<int()> doctor;        // --doctor; returns the exit code
  std::function<int()> clear_caches;  // --clear-cache; returns the exit code
  std::function<int()> coverage;      // --runtime-coverage; returns the exit code
};

// Serves a client until it says shutdown, dies, or a signal comes. The exit code: 0; 2 for a wrong command line,
// connection file or port, or a limit that leaves too little (ulimit), with a message on stderr.
int serve_kernel(int argc, char** argv, const KernelProgram& program);

}  // namespace xcuda::kernel
