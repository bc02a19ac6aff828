// LLVM's side of the JIT: target, optimisation, object code, linking into this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/plan/target_features.hpp"
#include "device/device.hpp"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace xcuda::device::cpu {

// Any thread may call these.
class Jit {
 public:
  // cpu: LLVM's name of a processor; empty is the host with all its features. Errors: unsupported.
  explicit Jit(const std::string& cpu);
  ~Jit();

  const std::string& cpu() const;   // with its features; part of a cache key
  std::string description() const;  // "LLVM 19.1.7 (sapphirerapids, AVX-512)"
  const TargetFeatures& features() const;

  void prepare(llvm::Module& module) const;  // triple and data layout
  void optimise(llvm::Module& module, Tier tier) const;
  std::vector<std::byte> object(llvm::Module& module, Dispatch dispatch, Tier tier) const;  // changes the module, too
  // entry: what the kernel is called there. With lines where the module had a finished LineTable.
  MachineCode disassembly(std::span<const std::byte> object, std::string entry) const;

  // Code linked into this process, until destroyed.
  class Linked {
   public:
    virtual ~Linked() = default;
    virtual KernelFunction kernel() const = 0;
  };
  std::unique_ptr<Linked> link(std::span<const std::byte> object);  // Errors: compile

 private:
  struct State;
  class Machine;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::device::cpu
