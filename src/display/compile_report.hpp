// The result of a compile: kernels and their signatures, resources, time by phase, options, warnings.
#pragma once

#include <vector>

#include "compiler/compile_output.hpp"
#include "compiler/program.hpp"
#include "device/device.hpp"
#include "display/assembly_view.hpp"
#include "display/bundle.hpp"
#include "display/diagnostics_view.hpp"

namespace xcuda::display {

struct DisassembledKernel {
  std::string kernel;
  std::string listing;  // as a disassembler prints it
};

struct CompileView {
  compiler::CompileOutput output;
  std::vector<device::FunctionInfo> functions;       // of the loaded module, found by entry; may be empty
  device::Nanoseconds load_time = 0;                 // 0 when it was not loaded yet
  SourceFiles files;                                 // of the cells that the PTX comes from
  std::vector<compiler::ReplacedFunction> replaced;  // of other cells
  std::vector<DisassembledKernel> machine_code;      // where it was asked for
};

Bundle compile_bundle(const CompileView& compile);

// "const float*" for NVRTC's "float const*".
std::string declared_type(std::string_view type);
std::string declared_type(const compiler::Parameter& parameter);  // also "size_t" where the kernel has it

// "(const float* x, float* y, size_t n)"
std::string signature_text(const compiler::KernelSignature& kernel);

}  // namespace xcuda::display
