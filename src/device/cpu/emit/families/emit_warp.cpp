// Instructions between the lanes of a warp: shuffles, votes, match, redux, elect, activemask. A warp is a warp here, so
// these are ordinary vector code.
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

Value* lane_numbers(Emitter& e) {
  llvm::SmallVector<llvm::Constant*, 32> all;
  for (unsigned lane = 0; lane < 32; ++lane) all.push_back(e.b.getInt32(lane));
  return llvm::ConstantVector::get(all);
}

// AVX2 permutes eight lanes: each eight of the result is picked from the four permuted ones.
Value* taken_by_eights(Emitter& e, Value* values, Value* index) {
  auto& b = e.b;
  std::array<Value*, 4> groups{};
  for (int from = 0; from < 4; ++from) groups[static_cast<std::size_t>(from)] = slice(e, values, 8 * from, 8);
  llvm::SmallVector<Value*, 4> all;
  for (int first = 0; first < 32; first += 8) {
    Value* wanted = slice(e, index, first, 8);
    const auto permuted = [&](std::size_t from) {
      return b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {groups[from], wanted});
    };
    const auto picked = [&](std::uint64_t bit, Value* zero, Value* one) {
      Value* moved = b.CreateShl(wanted, llvm::ConstantInt::get(wanted->getType(), 31 - bit));
      return b.CreateSelect(b.CreateICmpSLT(moved, llvm::Constant::getNullValue(wanted->getType())), one, zero);
    };
    all.push_back(picked(4, picked(3, permuted(0), permuted(1)), picked(3, permuted(2), permuted(3))));
  }
  return join(e, all);
}

// values[index[lane]] for each lane; 32-bit elements, index below 32.
Value* taken(Emitter& e, Value* values, Value* index) {
  auto& b = e.b;
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(index)) {
    llvm::SmallVector<int, 32> order;
    for (unsigned lane = 0; lane < 32; ++lane)
      order.push_back(
          static_cast<int>(llvm::cast<llvm::ConstantInt>(constant->getAggregateElement(lane))->getZExtValue()));
    return b.CreateShuffleVector(values, order);
  }
  if (e.features.avx512) {  // 16 lanes of the result at a time, out of all 32
    llvm::SmallVector<Value*, 4> halves;
    for (int first : {0, 16})
      halves.push_back(
          b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                            {slice(e, values, 0, 16), slice(e, index, first, 16), slice(e, values, 16, 16)}));
    return join(e, halves);
  }
  return taken_by_eights(e, values, index);
}

// For --race: lanes may read only those that the mask names and that take part.
void check_sources(Emitter& e, const Instruction& instruction, Value* source) {
  auto& b = e.b;
  Value* members = e.registers.read_vector(e.operands(instruction)[4], PtxType::b32);
  Value* on = e.masks.active_mask();
  Value* there = b.CreateAnd(b.CreateLShr(b.CreateAnd(members, e.values.splat(on)), source),
                             e.values.constant(members->getType(), 1));
  Value* missing = b.CreateAnd(on, e.values.to_mask(b.CreateICmpEQ(there, e.values.constant(there->getType(), 0))));
  e.cold_branch(
      b.CreateICmpNE(missing, b.getInt32(0)),
      [&] {
        Value* const values[] = {source, members};
        e.services.call(Service::missing_lane, values, missing, instruction);
      },
      "missing_lane");
}

void shuffle(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  Value* values = e.registers.read_vector(operands[1], PtxType::b32);
  Value *by = e.registers.read_vector(operands[2], PtxType::b32),
        *limits = e.registers.read_vector(operands[3], PtxType::b32);
  auto number = [&](std::uint64_t x) { return e.values.constant(by->getType(), x); };
  Value* lane = lane_numbers(e);
  by = b.CreateAnd(by, number(31));
  Value* clamp = b.CreateAnd(limits, number(31));
  Value* segment = b.CreateAnd(b.CreateLShr(limits, 8), number(31));
  Value* least = b.CreateAnd(lane, segment);
  Value* greatest = b.CreateOr(least, b.CreateAnd(clamp, b.CreateNot(segment)));
  Value *source = nullptr, *inside = nullptr;
  switch (instruction.find(ptx::Category::operation)) {
    case Modifier::up:
      source = b.CreateSub(lane, by);
      inside = b.CreateICmpSGE(source, greatest);
      break;
    case Modifier::down:
      source = b.CreateAdd(lane, by);
      inside = b.CreateICmpSLE(source, greatest);
      break;
    case Modifier::bfly:
      source = b.CreateXor(lane, by);
      inside = b.CreateICmpSLE(source, greatest);
      break;
    case Modifier::idx:
      source = b.CreateOr(least, b.CreateAnd(by, b.CreateNot(segment)));
      inside = b.CreateICmpSLE(source, greatest);
      break;
    default: e.not_refused(instruction);
  }
  source = b.CreateSelect(inside, source, lane);
  if (e.races_recorded() && instruction.has(Modifier::sync)) check_sources(e, instruction, source);
  Operand target = operands[0];
  const ptx::Register second = target.second;
  target.second = ptx::kNoIndex;
  e.registers.write(target, e.values.varying(taken(e, values, source)), PtxType::b32);
  if (second != ptx::kNoIndex) {
    target.reg = second;
    e.registers.write(target, e.values.varying(inside), PtxType::pred);
  }
}

// The lanes that take part, as i32; members is uniform, or each lane has its own group.
void vote(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  Value* holds = e.registers.read_vector(operands[1], PtxType::pred);
  Value* on = e.masks.active_mask();
  Value* yes = b.CreateAnd(e.values.to_mask(holds), on);
  const bool synchronised = instruction.has(Modifier::sync);
  const Held members = synchronised ? e.registers.read(operands[2], PtxType::b32) : e.values.uniform(b.getInt32(~0u));
  const Modifier kind = instruction.find(ptx::Category::operation);
  const PtxType result = kind == Modifier::ballot ? PtxType::b32 : PtxType::pred;
  const Held answer = e.values.map({&members, 1}, [&](auto v) -> Value* {
    auto like = [&](Value* scalar) { return v[0]->getType()->isVectorTy() ? e.values.splat(scalar) : scalar; };
    Value *mine = b.CreateAnd(v[0], like(yes)), *all = b.CreateAnd(v[0], like(on));
    Value* none = e.values.constant(mine->getType(), 0);
    switch (kind) {
      case Modifier::ballot: return mine;
      case Modifier::any: return b.CreateICmpNE(mine, none);
      case Modifier::all: return b.CreateICmpEQ(mine, all);
      case Modifier::uni: return b.CreateOr(b.CreateICmpEQ(mine, all), b.CreateICmpEQ(mine, none));
      default: e.not_refused(instruction);
    }
  });
  e.registers.write(operands[0], answer, result);
}

// match.any: the lanes of the group that hold the same value; one step per distinct value.
void match(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const PtxType type = instruction.type();
  Value* values = e.registers.read_vector(operands[1], type);
  Value* members = e.registers.read_vector(operands[2], PtxType::b32);
  llvm::Type* element = values->getType()->getScalarType();
  auto* i32 = b.getInt32Ty();
  const bool all = instruction.has(Modifier::all);
  Value *slot = e.slots.spill(values), *member_slot = e.slots.spill(members);
  Value* results = e.slots.spill(e.values.constant(e.values.lanes(i32), 0));
  Value* on = e.masks.active_mask();
  e.masks.each_lane(on, [&](Value* lane) {
    Value* mine = b.CreateLoad(element, e.slots.lane_slot(slot, element, lane));
    Value* group = b.CreateAnd(b.CreateLoad(i32, e.slots.lane_slot(member_slot, i32, lane)), on);
    Value* same = b.CreateAnd(e.values.to_mask(b.CreateICmpEQ(values, e.values.splat(mine))), group);
    if (all) same = b.CreateSelect(b.CreateICmpEQ(same, group), group, b.getInt32(0));
    b.CreateStore(same, e.slots.lane_slot(results, i32, lane));
  });
  Value* found = b.CreateAlignedLoad(e.values.lanes(i32), results, llvm::Align(64));
  Operand target = operands[0];
  const ptx::Register second = target.second;
  target.second = ptx::kNoIndex;
  e.registers.write(target, e.values.varying(found), PtxType::b32);
  if (second != ptx::kNoIndex) {
    target.reg = second;
    e.registers.write(target, e.values.varying(b.CreateICmpNE(found, e.values.constant(found->getType(), 0))),
                      PtxType::pred);
  }
}

// The first of the members, and for each lane whether it is that.
void elect(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  Value* members =
      b.CreateAnd(e.registers.read_vector(operands[1], PtxType::b32), e.values.splat(e.masks.active_mask()));
  Value* leader = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, members, b.getFalse());
  e.registers.write(operands[0], e.values.varying(leader), PtxType::b32);
  Operand elected;
  elected.kind = Operand::Kind::reg;
  elected.reg = operands[0].second;
  e.registers.write(elected, e.values.varying(b.CreateICmpEQ(lane_numbers(e), leader)), PtxType::pred);
}

void reduce(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const PtxType type = instruction.type();
  const bool is_signed = ptx::is_signed(type);
  Value* values = e.registers.read_vector(operands[1], type);
  const Held members = e.registers.read(operands[2], PtxType::b32);
  const Modifier kind = instruction.find(ptx::Category::operation);
  auto over = [&](Value* group) -> Value* {  // i32 mask
    Value* mask = e.values.to_vector(b.CreateAnd(group, e.masks.active_mask()));
    auto with = [&](std::uint64_t neutral) {
      return b.CreateSelect(mask, values, e.values.constant(values->getType(), neutral));
    };
    switch (kind) {
      case Modifier::add: return b.CreateAddReduce(with(0));
      case Modifier::and_: return b.CreateAndReduce(with(~std::uint64_t{0}));
      case Modifier::or_: return b.CreateOrReduce(with(0));
      case Modifier::xor_: return b.CreateXorReduce(with(0));
      case Modifier::min: return b.CreateIntMinReduce(with(is_signed ? 0x7fff'ffff : 0xffff'ffff), is_signed);
      case Modifier::max: return b.CreateIntMaxReduce(with(is_signed ? 0x8000'0000 : 0), is_signed);
      default: e.not_refused(instruction);
    }
  };
  if (members.uniform()) {
    e.registers.write(operands[0], e.values.uniform(over(members.parts[0])), type);
    return;
  }
  auto* i32 = b.getInt32Ty();
  Value *groups = e.slots.spill(e.values.vector_of(members)),
        *results = e.slots.spill(e.values.constant(e.values.lanes(i32), 0));
  e.masks.each_lane(e.masks.active_mask(), [&](Value* lane) {
    b.CreateStore(over(b.CreateLoad(i32, e.slots.lane_slot(groups, i32, lane))), e.slots.lane_slot(results, i32, lane));
  });
  e.registers.write(operands[0], e.values.varying(b.CreateAlignedLoad(e.values.lanes(i32), results, llvm::Align(64))),
                    type);
}

}  // namespace

void emit_warp(Emitter& e, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::shfl: return shuffle(e, instruction);
    case Opcode::vote: return vote(e, instruction);
    case Opcode::match: return match(e, instruction);
    case Opcode::redux: return reduce(e, instruction);
    case Opcode::elect: return elect(e, instruction);
    case Opcode::activemask:
      return e.registers.write(e.operands(instruction)[0], e.values.uniform(e.masks.active_mask()), PtxType::b32);
    default: e.not_refused(instruction);
  }
}

}  // namespace xcuda::device::cpu
