// A loaded PTX module, as a launch needs it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device/cpu/abi/kernel_code.hpp"

namespace xcuda::device::cpu {

struct KernelRequest {
  std::string_view entry;  // PTX symbol
  Dim3 grid, block;
  Checks checks;
};

// One loaded PTX module: the memory of its variables and the native code of its kernels.
class Program {
 public:
  virtual ~Program() = default;

  virtual const std::vector<FunctionInfo>& functions() const = 0;
  virtual const std::vector<VariableInfo>& variables() const = 0;
  virtual const std::uint64_t* variable_addresses() const = 0;  // for Launch::variables

  // Compiled when first asked for. Errors: unsupported (opcode, kernel, line), compile, name. One thread at a time;
  // the reference stays valid as long as the program.
  virtual const KernelCode& kernel(const KernelRequest& request) = 0;

  // The native code that kernel() makes, for people.
  virtual MachineCode machine_code(const KernelRequest& request) = 0;
};

}  // namespace xcuda::device::cpu
