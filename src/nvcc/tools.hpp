// The programs that make and run CUDA programs, as they are on this machine: nvcc, the host compiler, profilers.
#pragma once

#include <string>
#include <vector>

#include "compiler/toolkit.hpp"

namespace xcuda::nvcc {

inline constexpr const char* kNvccAdvice =
    "Install a CUDA toolkit, set CUDA_HOME to its folder, or take NVIDIA's wheels: %pip install 'xeus-cuda[cuda]', "
    "then "
    "%restart.";
inline constexpr const char* kHostCompilerAdvice =
    "Install g++ (apt install g++), or name a compiler with -ccbin or in NVCC_CCBIN.";

struct Tools {
  std::string nvcc;           // path; empty when there is none
  std::string host_compiler;  // path of what nvcc calls by default; empty when there is none
  std::string stdbuf;         // path; empty when there is none
  std::string fingerprint;    // changes when nvcc or the host compiler do
};

// nvcc beside the NVRTC that is in use, then in the other places where a toolkit is looked for, then in PATH.
Tools find_tools(const compiler::ToolkitSearch& search, const compiler::SearchEnvironment& environment);

// The toolkit that makes programs for the CPU device: a root with bin/nvcc, which calls another nvcc, and the CUDA
// Runtime that it links with. Empty where it is not installed.
std::string find_cpu_toolkit();

// The environment that puts this toolkit first: "PATH=...", and the same for libraries. Empty without that toolkit.
std::vector<std::string> cpu_toolkit_environment(const compiler::SearchEnvironment& environment);

// The path of a program that comes with CUDA or beside it (compute-sanitizer, ncu, nsys); empty when there is none.
std::string find_cuda_program(const std::string& name, const compiler::ToolkitSearch& search,
                              const compiler::SearchEnvironment& environment);

// The lines that --doctor prints.
std::string describe(const Tools& tools);

}  // namespace xcuda::nvcc
