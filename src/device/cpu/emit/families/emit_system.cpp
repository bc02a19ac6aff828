// Fences, sleeping, traps.
#include <algorithm>

#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

void emit_system(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::membar:
    case Opcode::fence: b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); return;
    case Opcode::nanosleep: {
      Value* inputs[] = {e.registers.read_vector(operands[0], PtxType::b32)};
      e.services.call(Service::sleep, inputs, e.masks.active_mask(), instruction);
      return;
    }
    case Opcode::trap:
    case Opcode::brkpt: {
      // True in a kernel that asks for the workspace of grid.sync(): that is usually the reason for the trap.
      e.services.site_at(e.services.site(instruction)).synchronises =
          std::any_of(e.function.operands.begin(), e.function.operands.end(), [](const Operand& operand) {
            return operand.kind == Operand::Kind::special && operand.special == ptx::Special::envreg;
          });
      Value* mask = e.masks.active_mask();
      if (!e.guarded) {
        e.services.call(Service::trap, {}, mask, instruction);
        return;
      }
      e.cold_branch(
          b.CreateICmpNE(mask, b.getInt32(0)), [&] { e.services.call(Service::trap, {}, mask, instruction); },
          "trapped");
      return;
    }
    case Opcode::bar:
    case Opcode::barrier:
      if (instruction.has(ptx::Modifier::warp)) return;  // lanes of a warp run together
      return e.votes.write_result(instruction);
    case Opcode::createpolicy: return e.registers.write(operands[0], e.values.uniform(b.getInt64(0)), PtxType::b64);
    default: return;  // hints
  }
}

}  // namespace xcuda::device::cpu
