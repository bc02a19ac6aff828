// Loops that are run lane by lane. Registers are then scalars; the values that a lane begins and ends with pass through
// memory.
#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

namespace {

// Predicates as bytes.
Value* storable(Emitter& e, Value* vector) {
  if (!vector->getType()->getScalarType()->isIntegerTy(1)) return vector;
  return e.b.CreateZExt(vector, e.values.lanes(e.b.getInt8Ty()));
}

}  // namespace

// Begins where exec_ holds the lanes at the loop's head, and ends with a jump.
void WarpFlow::emit_lane_loop(const LaneLoop& loop) {
  auto& b = e_.b;
  auto* i32 = b.getInt32Ty();
  Value* all = e_.exec;
  Value* left = e_.slots.scratch(i32, "lanes_left");
  b.CreateStore(all, left);
  std::map<BlockIndex, Value*> left_to;  // by exit: a mask; of more than one
  if (loop.exits.size() > 1)
    for (const BlockIndex exit : loop.exits) {
      if (exit == kNoBlock) continue;
      b.CreateStore(b.getInt32(0), left_to[exit] = e_.slots.scratch(i32, "left_to"));
    }

  struct Crossing {
    Value *memory = nullptr, *scalar = nullptr;  // of all lanes; what all lanes begin with
  };
  std::map<ptx::Register, Crossing> crossings;
  BitSet cross = loop.reads;
  cross.insert(loop.results);
  cross.each([&](ptx::Register reg) {
    const Held held = e_.registers.read_register(reg);
    if (held.uniform())
      crossings[reg].scalar = held.parts[0];
    else
      crossings[reg].memory = e_.slots.spill(storable(e_, e_.values.vector_of(held)));
  });
  auto memory_type = [&](ptx::Register reg) -> Type* {
    Type* type = e_.values.element(e_.function.registers[reg]);
    return type->isIntegerTy(1) ? b.getInt8Ty() : type;
  };

  BasicBlock *head = e_.new_block("lane"), *next_lane = e_.new_block("next_lane"), *done = e_.new_block("lanes_done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value* rest = b.CreateLoad(i32, left);
  Value* lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b.getTrue());
  b.CreateStore(b.CreateAnd(rest, b.CreateSub(rest, b.getInt32(1))), left);

  OneLane one{std::vector<RegisterFile::Slots>(e_.function.registers.size()),
              std::vector<RegisterForm>(e_.plan.forms.size(), RegisterForm::uniform()),
              {},
              {}};
  BitSet used = cross;
  used.insert(loop.written);
  used.each([&](ptx::Register reg) {
    one.registers[reg].push_back(e_.slots.scratch(e_.values.element(e_.function.registers[reg]), "of_lane"));
  });
  loop.reads.each([&](ptx::Register reg) {
    const Crossing& crossing = crossings[reg];
    Value* value = crossing.scalar;
    if (!value) {
      value = b.CreateLoad(memory_type(reg), e_.slots.lane_slot(crossing.memory, memory_type(reg), lane));
      if (e_.values.element(e_.function.registers[reg])->isIntegerTy(1)) value = b.CreateTrunc(value, b.getInt1Ty());
    }
    b.CreateStore(value, one.registers[reg][0]);
  });
  one.blocks.resize(e_.graph.blocks.size());
  loop.blocks.each([&](BlockIndex each) { one.blocks[each] = e_.new_block("one_lane"); });
  for (const BlockIndex exit : loop.exits) one.exits[exit] = e_.new_block("lane_leaves");
  e_.exec = b.CreateShl(b.getInt32(1), lane);
  b.CreateBr(one.blocks[loop.head]);

  emit_one_lane(loop, one);

  for (const BlockIndex exit : loop.exits) {
    b.SetInsertPoint(one.exits[exit]);
    if (exit != kNoBlock) {
      if (const auto mask = left_to.find(exit); mask != left_to.end())
        b.CreateStore(b.CreateOr(b.CreateLoad(i32, mask->second), e_.exec), mask->second);
      loop.results.each([&](ptx::Register reg) {
        if (!e_.graph.live[exit].contains(reg)) return;
        Value* value = b.CreateLoad(e_.values.element(e_.function.registers[reg]), one.registers[reg][0]);
        if (value->getType()->isIntegerTy(1)) value = b.CreateZExt(value, b.getInt8Ty());
        b.CreateStore(value, e_.slots.lane_slot(crossings[reg].memory, memory_type(reg), lane));
      });
    }
    b.CreateBr(next_lane);
  }
  b.SetInsertPoint(next_lane);
  b.CreateCondBr(b.CreateICmpNE(b.CreateLoad(i32, left), b.getInt32(0)), head, done);

  b.SetInsertPoint(done);
  e_.exec = all;
  loop.results.each([&](ptx::Register reg) {
    Value* vector = b.CreateAlignedLoad(e_.values.lanes(memory_type(reg)), crossings[reg].memory, llvm::Align(64));
    Type* type = e_.values.lanes(e_.values.element(e_.function.registers[reg]));
    e_.registers.put(reg, 0, vector->getType() == type ? vector : b.CreateTrunc(vector, type));
  });
  const BitSet& waiting = e_.plan.waiting[loop.head];
  BitSet held = e_.plan.pending[loop.head];
  for (const BlockIndex exit : loop.exits) {
    if (exit == kNoBlock) continue;
    const auto mask = left_to.find(exit);
    if (e_.plan.shared()) {
      if (loop.exits.size() == 1) return go_shared(loop.head, exit);
      add_ready(exit, b.CreateLoad(i32, mask->second));
      continue;
    }
    add_pending(loop.head, exit, mask == left_to.end() ? all : b.CreateLoad(i32, mask->second));
    held.insert(exit);
  }
  if (e_.plan.shared())
    b.CreateBr(loop.exits.back() == kNoBlock ? settle_ : dispatch_);
  else if (loop.exits.back() == kNoBlock)
    run_first_or_wait(let_go(held, waiting, std::nullopt), waiting);
  else
    run_first_of(held.members(), held, waiting);
}

// The loop's blocks for one lane: all registers are uniform, and all lanes that there are are on.
void WarpFlow::emit_one_lane(const LaneLoop& loop, OneLane& one) {
  const Clone clone = e_.clone;
  const BlockIndex block = e_.block;
  e_.clone = Clone::lane;
  e_.registers.swap(one.registers);
  std::swap(e_.plan.forms, one.forms);
  auto target = [&](BlockIndex next) {
    return next != kNoBlock && one.blocks[next] ? one.blocks[next] : one.exits[next];
  };
  loop.blocks.each([&](BlockIndex each) {
    const FlowBlock& from = e_.graph.blocks[each];
    e_.block = each;
    e_.b.SetInsertPoint(one.blocks[each]);
    e_.registers.begin_block();
    emit_body(from);
    e_.registers.flush();
    if (from.ends == FlowBlock::End::leave) {
      e_.b.CreateBr(target(kNoBlock));
    } else if (from.ends != FlowBlock::End::branch || from.taken == from.next) {
      e_.b.CreateBr(target(from.next));
    } else {
      BasicBlock *taken = target(from.taken), *next = target(from.next);
      if (from.negated) std::swap(taken, next);
      e_.b.CreateCondBr(e_.registers.read_register(from.predicate).parts[0], taken, next);
    }
    e_.registers.end_block();
    e_.b.SetCurrentDebugLocation({});
  });
  e_.registers.swap(one.registers);
  std::swap(e_.plan.forms, one.forms);
  e_.clone = clone;
  e_.block = block;
}

}  // namespace xcuda::device::cpu
