// Fences, sleeping, traps.
#include <algorithm>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

void emit_system(Emitter& e, const Instruction& instruction) {
  auto& b = e.b();
  const auto operands = e.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::membar:
    case Opcode::fence: b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); return;
    case Opcode::nanosleep: {
      Value* inputs[] = {e.read_vector(operands[0], PtxType::b32)};
      e.call_service(Service::sleep, inputs, e.active_mask(), instruction);
      return;
    }
    case Opcode::trap:
    case Opcode::brkpt: {
      // Of a kernel that asks for the workspace of grid.sync(): that is what the trap is about as a rule.
      e.site_at(e.site(instruction)).synchronises =
          std::any_of(e.function().operands.begin(), e.function().operands.end(), [](const Operand& operand) {
            return operand.kind == Operand::Kind::special && operand.special == ptx::Special::envreg;
          });
      Value* mask = e.active_mask();
      if (!e.guarded()) {
        e.call_service(Service::trap, {}, mask, instruction);
        return;
      }
      e.cold_branch(
          b.CreateICmpNE(mask, b.getInt32(0)), [&] { e.call_service(Service::trap, {}, mask, instruction); }, "trap");
      return;
    }
    case Opcode::bar:
    case Opcode::barrier:
      if (instruction.has(ptx::Modifier::warp)) return;  // lanes of a warp run together
      if (instruction.has(ptx::Modifier::red) && operands.size() == 3 && !e.guarded()) return e.write_vote(instruction);
      e.unsupported(instruction);
    case Opcode::createpolicy: return e.write(operands[0], e.uniform(b.getInt64(0)), PtxType::b64);
    default: return;  // hints
  }
}

}  // namespace xcuda::device::cpu
