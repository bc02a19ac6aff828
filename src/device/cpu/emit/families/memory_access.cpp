// Where accesses go, and the layout of their lanes.
#include "device/cpu/emit/families/memory_access.hpp"

#include <llvm/IR/MDBuilder.h>

namespace xcuda::device::cpu {

using ptx::Space;

namespace {

// Shared memory belongs to the thread that runs the block, and what a whole warp accesses side by side lies near the
// element of a lane that is on: without AVX-512 it takes less time to read all and to write some back as they were.
bool takes_all(Emitter& e, const MemoryAccess& access, Value* mask) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  const bool near = access.address.form.is_permuted() || lanes == kLanesPerWarp;
  return !e.features.avx512 && access.space == Space::shared && near && !e.guarded && !access.is_volatile;
}

Held address_of(Emitter& e, const Operand& operand) {
  auto& b = e.b;
  if (operand.reg == ptx::kNoIndex) return e.registers.address_of_symbol(operand);
  Operand base = operand;
  base.kind = Operand::Kind::reg;
  const bool narrow = ptx::bits_of(e.function.registers[operand.reg]) == 32;  // of shared memory
  Held held = e.registers.read(base, narrow ? PtxType::b32 : PtxType::b64);
  if (narrow) {
    // Sign-extended, so that an offset below 0 of a lane that is off does not spoil the base.
    for (Value*& part : held.parts) {
      part = b.CreateSExt(part,
                          held.form.is_varying() ? static_cast<Type*>(e.values.lanes(b.getInt64Ty())) : b.getInt64Ty());
      if (held.form.is_permuted()) break;
    }
  }
  if (operand.offset == 0) return held;
  return e.values.moved(held, b.getInt64(static_cast<std::uint64_t>(operand.offset)));
}

// A delayed index is plain when no lane's index wraps at 2^32.
Value* wraps(Emitter& e, const Held& address) {
  auto& b = e.b;
  const std::int64_t least = e.plan.patterns.least(address.form.pattern),
                     greatest = e.plan.patterns.greatest(address.form.pattern);
  Value* any = b.getFalse();
  for (int group = 0; group < address.form.groups; ++group) {
    Value* index = address.parts[static_cast<unsigned>(address.form.groups + group)];
    if (greatest > 0) any = b.CreateOr(any, b.CreateICmpUGT(index, b.getInt32(~static_cast<std::uint32_t>(greatest))));
    if (least < 0) any = b.CreateOr(any, b.CreateICmpULT(index, b.getInt32(static_cast<std::uint32_t>(-least))));
  }
  return any;
}

// Takes an index from 2^31 on for one below 0 where that is as far beyond the memory.
enum class IndexRange : std::uint8_t { below_2_32, below_2_31 };

Held plain_index(Emitter& e, const Held& address, IndexRange range) {
  auto& b = e.b;
  Lanes lanes = e.plan.patterns.lanes(address.form.pattern);
  for (std::int64_t& lane : lanes) lane *= address.form.scale;
  const auto pattern = e.plan.patterns.find(lanes);
  if (!pattern) return e.values.varying(e.values.vector_of(address));
  Held plain{RegisterForm{RegisterForm::Kind::affine, address.form.groups, 0, *pattern, 1}, {}};
  for (unsigned group = 0; group < address.form.groups; ++group) {
    Value* index = address.parts[address.form.groups + group];
    index = range == IndexRange::below_2_32 ? b.CreateZExt(index, b.getInt64Ty()) : b.CreateSExt(index, b.getInt64Ty());
    plain.parts.push_back(b.CreateAdd(address.parts[group], b.CreateMul(index, b.getInt64(address.form.scale))));
  }
  return plain;
}

}  // namespace

Value* pointer_into(Emitter& e, const MemoryAccess& access, Value* address) {
  auto& b = e.b;
  // A function may be given the address of its caller's local memory: its own is not where such a pointer begins.
  const bool of_caller = access.space == Space::local && e.parameter_table;
  if (!e.one_thread() || of_caller) return pointer_of(e, address);
  // The constant is apart, so that accesses to one register plus constants differ by numbers.
  const ptx::Operand* operand = accessed(e.function, access.instruction);
  Value* own = b.getInt64(static_cast<std::uint64_t>(operand ? operand->offset : 0));
  const auto array = access.space == Space::param ? std::nullopt : bounds_of_array(e, access);
  Value* pointer = nullptr;
  if (access.space == Space::shared || access.space == Space::local) {
    Value* begin = access.space == Space::shared ? e.context.shared_base() : e.context.local_base();
    pointer = b.CreateGEP(b.getInt8Ty(), pointer_of(e, begin), b.CreateSub(b.CreateSub(address, own), begin));
  } else if (array) {
    Value* zero = b.CreateGEP(b.getInt8Ty(), pointer_of(e, array->begin), b.CreateNeg(array->begin));
    pointer = b.CreateGEP(b.getInt8Ty(), zero, b.CreateSub(address, own));
  } else {
    return pointer_of(e, address);
  }
  return b.CreateGEP(b.getInt8Ty(), pointer, own);
}

Value* load_masked(Emitter& e, const MemoryAccess& access, llvm::VectorType* type, const Masked& masked) {
  if (takes_all(e, access, masked.mask)) return e.b.CreateAlignedLoad(type, masked.pointer, Align(1));
  return e.b.CreateMaskedLoad(type, masked.pointer, Align(1), masked.mask);
}

void store_masked(Emitter& e, const MemoryAccess& access, Value* value, const Masked& masked) {
  auto& b = e.b;
  if (!takes_all(e, access, masked.mask)) {
    b.CreateMaskedStore(value, masked.pointer, Align(1), masked.mask);
    return;
  }
  Value* old = b.CreateAlignedLoad(value->getType(), masked.pointer, Align(1));
  b.CreateAlignedStore(b.CreateSelect(masked.mask, value, old), masked.pointer, Align(1));
}

Run run_of(const Lanes& lanes, int first, int count, std::int64_t stride) {
  bool contiguous = true, same = true;
  for (int i = 1; i < count; ++i) {
    contiguous &= lanes[first + i] - lanes[first] == i * stride;
    same &= lanes[first + i] == lanes[first];
  }
  return same ? Run::same : contiguous ? Run::contiguous : Run::mixed;
}

// The widest pieces that the pattern falls into, at least 8 lanes each; 0 when there are none.
int piece_width(const MemoryAccess& access, const Lanes& lanes, Pieces pieces) {
  for (int width = 32 / access.address.form.groups; width >= 8; width /= 2) {
    bool all = true;
    for (int first = 0; first < 32; first += width) {
      const Run run = run_of(lanes, first, width, access.bytes());
      all &= run == Run::contiguous || (run == Run::same && pieces == Pieces::contiguous_or_same);
    }
    if (all) return width;
  }
  return 0;
}

bool masks_well(Emitter& e, const MemoryAccess& access) {  // masked vector accesses that are one instruction
  return access.components == 1 && (e.features.avx512 || access.size >= 4);
}

Value* slice(Emitter& e, Value* vector, int first, int count) {
  llvm::SmallVector<int, 32> order;
  for (int i = 0; i < count; ++i) order.push_back(first + i);
  return e.b.CreateShuffleVector(vector, order);
}

Value* join(Emitter& e, llvm::SmallVector<Value*, 4> pieces) {
  while (pieces.size() > 1) {
    llvm::SmallVector<Value*, 4> joined;
    for (std::size_t i = 0; i < pieces.size(); i += 2) {
      const auto count = static_cast<int>(llvm::cast<llvm::FixedVectorType>(pieces[i]->getType())->getNumElements());
      llvm::SmallVector<int, 64> order;
      for (int k = 0; k < 2 * count; ++k) order.push_back(k);
      joined.push_back(e.b.CreateShuffleVector(pieces[i], pieces[i + 1], order));
    }
    pieces = joined;
  }
  return pieces[0];
}

// Runs `body` with the address as affine, or as a vector where an index wraps, and merges what it returns.
void with_plain_index(Emitter& e, const MemoryAccess& access,
                      const std::function<Components(const MemoryAccess&)>& body, Components& results) {
  auto& b = e.b;
  if (access.address.form.kind != RegisterForm::Kind::delayed) {
    results = body(access);
    return;
  }
  MemoryAccess plain = access, exact = access;
  plain.grouped = exact.grouped = false;
  Value* wrapped = wraps(e, access.address);
  llvm::BasicBlock *rare = e.new_block("index_wraps"), *usual = e.new_block("index_plain"),
                   *on = e.new_block("accessed");
  b.CreateCondBr(wrapped, rare, usual, llvm::MDBuilder(b.getContext()).createBranchWeights(1, 2000));
  b.SetInsertPoint(usual);
  plain.address = plain.offset = plain_index(e, access.address, IndexRange::below_2_32);
  emit_check(e, plain);
  const Components first = body(plain);
  llvm::BasicBlock* usual_end = b.GetInsertBlock();
  b.CreateBr(on);
  b.SetInsertPoint(rare);
  exact.address = exact.offset = e.values.varying(e.values.vector_of(access.address));
  emit_check(e, exact);
  const Components second = body(exact);
  llvm::BasicBlock* rare_end = b.GetInsertBlock();
  b.CreateBr(on);
  b.SetInsertPoint(on);
  for (std::size_t i = 0; i < first.size(); ++i) {
    llvm::PHINode* merged = b.CreatePHI(first[i]->getType(), 2);
    merged->addIncoming(first[i], usual_end);
    merged->addIncoming(second[i], rare_end);
    results.push_back(merged);
  }
}

Held shared_address(Emitter& e, const ptx::Operand& operand) { return address_of(e, operand); }

MemoryAccess access_of(Emitter& e, const Instruction& instruction, std::size_t index, Access kind) {
  const Operand& operand = e.operands(instruction)[index];
  MemoryAccess access{
      .instruction = instruction, .address = {}, .offset = {}, .space = instruction.space, .type = instruction.type()};
  if (access.space == Space::shared_cluster) access.space = Space::shared;
  access.components = instruction.vector;
  access.size = std::max(1u, static_cast<unsigned>(ptx::bits_of(access.type)) / 8);
  if (instruction.is(ptx::Trait::copies) && index == 1) {  // from global to shared memory
    access.space = Space::global;
    access.size = static_cast<unsigned>(e.operands(instruction)[2].bits);
  }
  access.access = kind;
  access.is_volatile = instruction.has(Modifier::volatile_) || instruction.has(Modifier::relaxed) ||
                       instruction.has(Modifier::acquire) || instruction.has(Modifier::release) ||
                       instruction.has(Modifier::mmio);
  access.origin = origin_of(operand, e.plan.origins);
  access.offset = address_of(e, operand);
  access.address = access.offset;
  if (access.space == Space::shared) access.address = e.values.moved(access.offset, e.context.shared_base());
  if (access.address.form.kind == RegisterForm::Kind::delayed &&
      access.space == Space::shared) {  // s[t - 1] of an unsigned t
    access.offset = plain_index(e, access.offset, IndexRange::below_2_31);
    access.address = e.values.moved(access.offset, e.context.shared_base());
  }
  if (access.address.form.kind != RegisterForm::Kind::delayed) emit_check(e, access);
  return access;
}

}  // namespace xcuda::device::cpu
