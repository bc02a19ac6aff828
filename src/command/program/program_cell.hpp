// Programs that cells hold: compiles and runs them, and shows the results.
#pragma once

#include "command/invocation.hpp"
#include "command/runner.hpp"
#include "nvcc/programs.hpp"

namespace xcuda::command {

// Compiles the files with the options of the call and runs the program. Errors: CompileFailure; unsupported (no nvcc);
// io (an exit status other than 0, a signal); interrupted, also at the time limit; those of the tools that run it.
void run_program(Invocation& call, std::vector<nvcc::SourceFile> files);

struct ProgramBuild {
  std::vector<nvcc::SourceFile> files;
  std::vector<std::string> options;  // besides those of the call
  std::string_view what = "program";
};
// Shows warnings. Errors: CompileFailure; unsupported (no nvcc).
nvcc::Build build_program(Invocation& call, ProgramBuild wanted);

// Compiles a cell without main() to a module that the device's process loads; its functions are the session's. files:
// the first one is the cell. Errors: as above; value (no function, an option of programs).
void load_host_module(Invocation& call, std::vector<nvcc::SourceFile> files);

// The options of every magic that runs programs.
std::vector<Option> program_options();

// Adds a program's device code to the session: kernels, functions and variables with an annotation, and the types,
// constants and macros that these use. files: what the cell may include. Errors: those of a cell of device code.
void keep_device_code(Invocation& call, const std::vector<nvcc::SourceFile>& files);

inline constexpr std::string_view kSessionHeader = "session.cuh";  // the session's device code, for #include

}  // namespace xcuda::command
