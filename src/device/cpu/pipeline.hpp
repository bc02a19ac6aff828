// The way of a kernel from the PTX of its module to native code: a list of passes. Each has a name, and its result can
// be shown, see docs/architecture.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/cpu/jit/jit.hpp"
#include "device/cpu/jit/stored_kernel.hpp"
#include "device/cpu/run/loaded_kernels.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// The tree that kernels are compiled from. name: what messages call the module. Errors: compile.
std::unique_ptr<const ptx::Module> lowered(std::string_view ptx, std::string_view name);

struct CompileRequest {
  const ptx::Module& module;
  std::string_view name;  // of the module
  KernelRequest kernel;
  Jit& jit;
  std::optional<Dispatch> dispatch{};               // none: what suits the kernel
  std::function<void(const char* phase)> begins{};  // told before each: plan, emit, optimise, object
  Tier tier = Tier::full;
};

// The instructions of a function and of all that it calls.
std::size_t instruction_count(const ptx::Module& module, const ptx::Function& function);
// The tier of the code that a launch waits for. Errors: name.
Tier first_tier(const ptx::Module& module, const KernelRequest& kernel);

// Errors: name, unsupported, compile.
CompiledKernel compile(const CompileRequest& request);
MachineCode disassembled(const CompileRequest& request);
std::string variant_text(const KernelRequest& kernel);  // "blocks of rows of 16, bounds checked"

std::vector<std::string> pass_names();
// The result of a pass, as text; for a pass of the module the kernel does not matter.
struct DumpRequest {
  std::string_view pass, ptx;
  KernelRequest kernel;
  Jit& jit;
  std::optional<Dispatch> dispatch{};
  Tier tier = Tier::full;
};
std::string text_after(const DumpRequest& request);

}  // namespace xcuda::device::cpu
