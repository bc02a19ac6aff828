// Object code as people read it: through LLVM's disassembler, with the lines in its debug information.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/device.hpp"

namespace llvm {
class TargetMachine;
}

namespace xcuda::device::cpu {

struct DisassemblyRequest {
  const llvm::TargetMachine& machine;
  std::span<const std::byte> object;
  std::string entry;  // what the kernel's function is called in the listing
};

// The lines and the size of a MachineCode. Errors: internal (not an object of this machine).
MachineCode disassembled(const DisassemblyRequest& request);

std::uint64_t code_bytes(std::span<const std::byte> object);  // of its instructions; errors: internal

}  // namespace xcuda::device::cpu
