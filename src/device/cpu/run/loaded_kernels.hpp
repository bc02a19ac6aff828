// A loaded PTX module, as a launch needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "device/cpu/abi/kernel_code.hpp"

namespace xcuda::device::cpu {

struct KernelRequest {
  std::string_view entry;  // PTX symbol
  Dim3 grid, block;
  Checks checks;
  CodeWait code_wait = CodeWait::quickest;
};

// How a caller waits for a kernel that is being compiled.
struct CompileWait {
  std::function<bool()> given_up{};              // asked now and then
  std::function<void(std::string_view)> tell{};  // "compiling scan: optimisation"; nothing when it is over
};

// One loaded PTX module: the memory of its variables and the native code of its kernels.
class LoadedModule {
 public:
  virtual ~LoadedModule() = default;

  virtual const std::vector<FunctionInfo>& functions() const = 0;
  // The kernel that a pointer in a kernel means (function_token); null: it is not a kernel.
  virtual const FunctionInfo* kernel_at(std::uint64_t token) const = 0;
  virtual const std::vector<VariableInfo>& variables() const = 0;
  virtual const std::uint64_t* variable_addresses() const = 0;  // for LaunchAbi::variables
  // The device's verb. Errors: name.
  virtual std::vector<std::byte> place_variables(const std::vector<VariableInfo>& variables) = 0;

  // The code, compiled when first asked for; null when the wait was given up, and the compile goes on. Errors:
  // unsupported (opcode, kernel, line), compile, name. The code stays as long as the program.
  virtual const KernelCode* kernel(const KernelRequest& request, const CompileWait& wait) = 0;
  const KernelCode& kernel(const KernelRequest& request) { return *kernel(request, {}); }

  // Begins to compile a kernel that was never launched, for blocks like those of its last launch in an earlier
  // module, or else for those that its code suggests. Nothing happens without threads that compile.
  virtual void prepare(std::string_view entry, const Checks& checks) = 0;

  // The native code that kernel() makes, for people.
  virtual MachineCode machine_code(const KernelRequest& request, const CompileWait& wait) = 0;
  virtual std::vector<NativeCode> native_codes(std::string_view entry) const = 0;
};

}  // namespace xcuda::device::cpu
