#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

bool Votes::reduces() const {
  for (const FlowBlock& block : e_.graph.blocks)
    if (block.arrives != ptx::kNoIndex) return true;
  return false;
}

// 0 and 1: threads that arrived with true and with false; 2 and 3: the same of the last complete barrier.
Value* Votes::slot(std::size_t index) {
  return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.frame, offsetof(BlockFrame, votes) + 4 * index);
}

void Votes::arrive(const ptx::Instruction& instruction) {
  auto* i32 = e_.b.getInt32Ty();
  e_.instruction = &instruction;
  Value* holds = e_.values.to_mask(e_.registers.read_vector(e_.operands(instruction)[2], ptx::Type::pred));
  e_.instruction = nullptr;
  for (const bool wanted : {true, false}) {
    Value* lanes = e_.b.CreateAnd(wanted ? holds : e_.b.CreateNot(holds), e_.exec);
    Value* count = e_.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
    Value* counter = slot(wanted ? 0 : 1);
    e_.b.CreateStore(e_.b.CreateAdd(e_.b.CreateLoad(i32, counter), count), counter);
  }
}

void Votes::write_result(const ptx::Instruction& instruction) {
  auto* i32 = e_.b.getInt32Ty();
  Value *holding = e_.b.CreateLoad(i32, slot(2)), *failing = e_.b.CreateLoad(i32, slot(3));
  const ptx::Operand& target = e_.operands(instruction)[0];
  Value* none = e_.b.getInt32(0);
  switch (instruction.has(Modifier::popc)   ? Modifier::popc
          : instruction.has(Modifier::and_) ? Modifier::and_
                                            : Modifier::or_) {
    case Modifier::popc: return e_.registers.write(target, e_.values.uniform(holding), ptx::Type::u32);
    case Modifier::and_:
      return e_.registers.write(target, e_.values.uniform(e_.b.CreateICmpEQ(failing, none)), ptx::Type::pred);
    case Modifier::or_:
      return e_.registers.write(target, e_.values.uniform(e_.b.CreateICmpNE(holding, none)), ptx::Type::pred);
    default: e_.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
