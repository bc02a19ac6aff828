// Atomics: lane by lane in lane order. Shared memory belongs to one pool thread, so that its atomics are plain. Where
// all lanes meet at one address and no code reads the result, the lanes are reduced first and one atomic is done.
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using ptx::Space;

namespace {

AtomicRMWInst::BinOp operation_of(Emitter& e, const Instruction& instruction) {
  const PtxType type = instruction.type();
  const bool floating = ptx::is_floating(type), is_signed = ptx::is_signed(type);
  switch (instruction.find(ptx::Category::operation)) {
    case Modifier::add: return floating ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
    case Modifier::min: return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    case Modifier::max: return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    case Modifier::and_: return AtomicRMWInst::And;
    case Modifier::or_: return AtomicRMWInst::Or;
    case Modifier::xor_: return AtomicRMWInst::Xor;
    case Modifier::exch: return AtomicRMWInst::Xchg;
    case Modifier::inc: return AtomicRMWInst::UIncWrap;
    case Modifier::dec: return AtomicRMWInst::UDecWrap;
    default: e.not_refused(instruction);
  }
}

AtomicOrdering ordering_of(const Instruction& instruction) {
  if (instruction.has(Modifier::acq_rel)) return AtomicOrdering::AcquireRelease;
  if (instruction.has(Modifier::acquire)) return AtomicOrdering::Acquire;
  if (instruction.has(Modifier::release)) return AtomicOrdering::Release;
  return AtomicOrdering::Monotonic;
}

// What a plain read-modify-write stores.
Value* updated(Emitter& e, AtomicRMWInst::BinOp operation, Value* old, Value* value) {
  auto& b = e.b;
  auto extreme = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, old, value); };
  Value* zero = llvm::Constant::getNullValue(old->getType());
  switch (operation) {
    case AtomicRMWInst::Add: return b.CreateAdd(old, value);
    case AtomicRMWInst::FAdd: return b.CreateFAdd(old, value);
    case AtomicRMWInst::Min: return extreme(llvm::Intrinsic::smin);
    case AtomicRMWInst::Max: return extreme(llvm::Intrinsic::smax);
    case AtomicRMWInst::UMin: return extreme(llvm::Intrinsic::umin);
    case AtomicRMWInst::UMax: return extreme(llvm::Intrinsic::umax);
    case AtomicRMWInst::And: return b.CreateAnd(old, value);
    case AtomicRMWInst::Or: return b.CreateOr(old, value);
    case AtomicRMWInst::Xor: return b.CreateXor(old, value);
    case AtomicRMWInst::UIncWrap:
      return b.CreateSelect(b.CreateICmpUGE(old, value), zero, b.CreateAdd(old, e.values.constant(old->getType(), 1)));
    case AtomicRMWInst::UDecWrap: {
      Value* wraps = b.CreateOr(b.CreateICmpEQ(old, zero), b.CreateICmpUGT(old, value));
      return b.CreateSelect(wraps, value, b.CreateSub(old, e.values.constant(old->getType(), 1)));
    }
    default: return value;  // exchange
  }
}

// All lanes that are on as one value; null when the operation cannot be reduced.
Value* reduced(Emitter& e, AtomicRMWInst::BinOp operation, Value* values) {
  auto& b = e.b;
  Type* type = values->getType()->getScalarType();
  auto with = [&](Value* neutral) {
    return e.all_active() ? values : b.CreateSelect(e.masks.active(), values, e.values.splat(neutral));
  };
  const unsigned bits = type->getScalarSizeInBits();
  const std::uint64_t least_signed = std::uint64_t{1} << (bits - 1);
  auto number = [&](std::uint64_t value) { return e.values.constant(type, value); };
  switch (operation) {
    case AtomicRMWInst::Add: return b.CreateAddReduce(with(number(0)));
    case AtomicRMWInst::FAdd: {
      auto* sum =
          b.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(type), with(llvm::ConstantFP::getNegativeZero(type)));
      sum->setHasAllowReassoc(true);
      return sum;
    }
    case AtomicRMWInst::Min: return b.CreateIntMinReduce(with(number(least_signed - 1)), true);
    case AtomicRMWInst::Max: return b.CreateIntMaxReduce(with(number(least_signed)), true);
    case AtomicRMWInst::UMin: return b.CreateIntMinReduce(with(number(~std::uint64_t{0})), false);
    case AtomicRMWInst::UMax: return b.CreateIntMaxReduce(with(number(0)), false);
    case AtomicRMWInst::And: return b.CreateAndReduce(with(number(~std::uint64_t{0})));
    case AtomicRMWInst::Or: return b.CreateOrReduce(with(number(0)));
    case AtomicRMWInst::Xor: return b.CreateXorReduce(with(number(0)));
    default: return nullptr;
  }
}

bool is_half(PtxType type) { return type == PtxType::f16 || type == PtxType::bf16 || is_pair(type); }

// Adds halves, which the processor has no instruction for: the word as bits.
Value* half_sum(Emitter& e, PtxType type, Value* old, Value* value) {
  auto& b = e.b;
  Type* half = type == PtxType::f16 || type == PtxType::f16x2 ? b.getHalfTy() : b.getBFloatTy();
  auto add = [&](Value* x, Value* y) {
    Value* sum = b.CreateFAdd(b.CreateFPExt(widened_half(e, x), b.getDoubleTy()),
                              b.CreateFPExt(widened_half(e, y), b.getDoubleTy()));
    return narrowed_half(e, sum, half);
  };
  if (!is_pair(type))
    return b.CreateBitCast(add(b.CreateBitCast(old, half), b.CreateBitCast(value, half)), b.getInt16Ty());
  Value* low = add(half_of(e, old, 0, half), half_of(e, value, 0, half));
  return pair_of(e, low, add(half_of(e, old, 1, half), half_of(e, value, 1, half)));
}

// Compares and swaps until no other thread came between.
Value* swap_until_done(Emitter& e, Value* pointer, Align alignment, AtomicOrdering order,
                       const std::function<Value*(Value*)>& next, Type* type) {
  auto& b = e.b;
  llvm::BasicBlock *loop = e.new_block("swap"), *done = e.new_block("swapped"), *before = b.GetInsertBlock();
  Value* first = b.CreateAlignedLoad(type, pointer, alignment);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* seen = b.CreatePHI(type, 2);
  seen->addIncoming(first, before);
  const AtomicOrdering failure = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
  Value* swapped = b.CreateAtomicCmpXchg(pointer, seen, next(seen), alignment, order, failure);
  seen->addIncoming(b.CreateExtractValue(swapped, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(swapped, 1), done, loop);
  b.SetInsertPoint(done);
  return seen;
}

}  // namespace

void emit_atomic(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const bool red = instruction.opcode == ptx::Opcode::red;
  const std::size_t first = red ? 0 : 1;
  const bool half = is_half(instruction.type());
  const PtxType type = is_pair(instruction.type()) ? PtxType::b32 : half ? PtxType::b16 : instruction.type();
  const bool swaps = instruction.has(Modifier::cas);
  const bool wants = !red && e.registers.is_read(operands[0]);
  MemoryAccess access = access_of(e, instruction, first, Access::atomic);
  emit_record(e, access);
  if (access.address.form.kind == RegisterForm::Kind::delayed) {
    access.address = e.values.varying(e.values.vector_of(access.address));
    access.grouped = false;
    emit_check(e, access);
  }
  const bool plain = access.space == Space::shared;
  // Outside of shared memory the sum of floats knows no subnormal numbers.
  const bool flushes = !plain && type == PtxType::f32 && instruction.has(Modifier::add);
  const AtomicOrdering order = ordering_of(instruction);
  Type* element = e.values.element(type);
  const Align alignment(std::max(1u, access.size));

  auto update = [&](Value* address, Value* value, Value* other) -> Value* {
    Value* pointer = b.CreateIntToPtr(address, b.getPtrTy());
    if (half)
      return swap_until_done(
          e, pointer, alignment, order, [&](Value* old) { return half_sum(e, instruction.type(), old, value); },
          element);
    if (flushes) {
      Type* word = b.getInt32Ty();
      auto sum = [&](Value* old) {
        return b.CreateBitCast(flush(e, b.CreateFAdd(flush(e, b.CreateBitCast(old, element)), flush(e, value))), word);
      };
      return b.CreateBitCast(swap_until_done(e, pointer, alignment, order, sum, word), element);
    }
    if (plain) {
      Value* old = b.CreateAlignedLoad(element, pointer, Align(1));
      Value* next = swaps ? b.CreateSelect(b.CreateICmpEQ(old, value), other, old)
                          : updated(e, operation_of(e, instruction), old, value);
      b.CreateAlignedStore(next, pointer, Align(1));
      return old;
    }
    if (swaps) {
      const AtomicOrdering failure = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
      return b.CreateExtractValue(b.CreateAtomicCmpXchg(pointer, value, other, alignment, order, failure), 0);
    }
    return b.CreateAtomicRMW(operation_of(e, instruction), pointer, value, alignment, order);
  };

  const Held value = e.registers.read(operands[first + 1], type);
  if (e.one_thread() && !e.guarded) {
    Value* other = swaps ? e.registers.read(operands[first + 2], type).parts[0] : nullptr;
    Value* old = update(access.address.parts[0], value.parts[0], other);
    if (wants) e.registers.write(operands[0], e.values.uniform(old), type);
    return;
  }
  if (access.address.uniform() && !wants && !swaps && !half && !e.guarded) {
    if (Value* total = reduced(e, operation_of(e, instruction), e.values.vector_of(value))) {
      update(access.address.parts[0], total, nullptr);
      return;
    }
  }
  // All lanes one after another without a loop: their addresses stay in registers.
  if (plain && e.all_active() && !wants && !swaps && !half) {
    Value *all = e.values.vector_of(access.address), *each = e.values.vector_of(value);
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      update(b.CreateExtractElement(all, lane), b.CreateExtractElement(each, lane), nullptr);
    return;
  }
  Value* addresses = e.slots.spill(e.values.vector_of(access.address));
  Value* values = e.slots.spill(e.values.vector_of(value));
  Value* others = swaps ? e.slots.spill(e.values.vector_of(e.registers.read(operands[first + 2], type))) : nullptr;
  Value* results = wants ? e.slots.spill(llvm::Constant::getNullValue(e.values.lanes(element))) : nullptr;
  e.masks.each_lane(e.masks.active_mask(), [&](Value* lane) {
    Value* address = b.CreateLoad(b.getInt64Ty(), e.slots.lane_slot(addresses, b.getInt64Ty(), lane));
    Value* mine = b.CreateLoad(element, e.slots.lane_slot(values, element, lane));
    Value* other = others ? b.CreateLoad(element, e.slots.lane_slot(others, element, lane)) : nullptr;
    Value* old = update(address, mine, other);
    if (results) b.CreateStore(old, e.slots.lane_slot(results, element, lane));
  });
  if (wants)
    e.registers.write(operands[0], e.values.varying(b.CreateAlignedLoad(e.values.lanes(element), results, Align(64))),
                      type);
}

}  // namespace xcuda::device::cpu
