// Loads of all spaces. What matters for speed is the layout of the lanes: one scalar access for what a warp or row
// group shares, plain vectors for what is contiguous, gathers for the rest.
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

Type* memory_type(Emitter& e, PtxType type) { return type == PtxType::pred ? e.b.getInt8Ty() : e.values.element(type); }

// An address that may be read when no lane wants to.
Value* safe_address(Emitter& e) { return e.b.CreatePtrToInt(e.slots.dummy(), e.b.getInt64Ty()); }

Value* load_scalar(Emitter& e, const MemoryAccess& access, Type* type, Value* address, unsigned offset) {
  auto& b = e.b;
  Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer_into(e, access, address), offset);
  return b.CreateAlignedLoad(type, at, Align(1), access.is_volatile);
}

// The words of one lane by one instruction, if they are to be read at once.
Components load_words(Emitter& e, const MemoryAccess& access, Type* type, Value* address) {
  auto& b = e.b;
  Components words;
  if (!access.is_whole()) {
    for (int c = 0; c < access.components; ++c)
      words.push_back(load_scalar(e, access, type, address, static_cast<unsigned>(c) * access.size));
    return words;
  }
  auto* whole = llvm::FixedVectorType::get(type, static_cast<unsigned>(access.components));
  Value* loaded = b.CreateAlignedLoad(whole, pointer_into(e, access, address), Align(1), true);
  for (int c = 0; c < access.components; ++c)
    words.push_back(b.CreateExtractElement(loaded, static_cast<std::uint64_t>(c)));
  return words;
}

// Elements of 32 or 64 bits. AVX2 gathers four at a time.
Value* gather_at_once(Emitter& e, llvm::VectorType* vector, Value* addresses) {
  auto& b = e.b;
  if (e.features.avx512)
    return b.CreateMaskedGather(vector, b.CreateIntToPtr(addresses, e.values.lanes(b.getPtrTy())), Align(1),
                                e.masks.active(), llvm::PoisonValue::get(vector));
  const unsigned bits = vector->getScalarSizeInBits();
  const auto gather = bits == 32 ? llvm::Intrinsic::x86_avx2_gather_q_d_256 : llvm::Intrinsic::x86_avx2_gather_q_q_256;
  auto* four = llvm::FixedVectorType::get(b.getIntNTy(bits), 4);
  Value* on = b.CreateSExt(e.masks.active(), e.values.lanes(four->getElementType()));
  Value* nowhere = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::SmallVector<Value*, 4> all;
  for (int first = 0; first < 32; first += 4)
    all.push_back(b.CreateIntrinsic(gather, {},
                                    {llvm::Constant::getNullValue(four), nowhere, slice(e, addresses, first, 4),
                                     slice(e, on, first, 4), b.getInt8(1)}));
  return b.CreateBitCast(join(e, all), vector);
}

// Gathers bytes and half words as parts of the aligned words that they are in: one gather, not 32 loads and moves.
Value* gather_parts(Emitter& e, Type* type, Value* addresses) {
  auto& b = e.b;
  Type *wide = addresses->getType(), *words = e.values.lanes(b.getInt32Ty());
  Value* low = b.CreateAnd(b.CreateTrunc(addresses, words), e.values.constant(words, 3));
  Value* word = gather_at_once(e, llvm::cast<llvm::VectorType>(words),
                               b.CreateAnd(addresses, e.values.constant(wide, ~std::uint64_t{3})));
  Value* moved = b.CreateLShr(word, b.CreateShl(low, e.values.constant(words, 3)));
  Type* part = e.values.lanes(b.getIntNTy(type->getPrimitiveSizeInBits()));
  return b.CreateBitCast(b.CreateTrunc(moved, part), e.values.lanes(type));
}

Value* gather(Emitter& e, const MemoryAccess& access, Type* type, unsigned offset) {
  auto& b = e.b;
  Value* addresses = e.values.vector_of(access.address);
  if (offset) addresses = b.CreateAdd(addresses, e.values.constant(addresses->getType(), offset));
  auto* vector = llvm::cast<llvm::VectorType>(e.values.lanes(type));
  // Many processors with AVX2 load lane by lane as fast as they gather, and quick code is to be short.
  if (e.features.avx512 || (e.code.tier == Tier::quick && access.size <= 8)) {
    if (access.size >= 4) return gather_at_once(e, vector, addresses);
    if (!access.is_volatile) return gather_parts(e, type, addresses);
  }
  // Lanes that are off read a dummy: no branches.
  if (!e.all_active()) addresses = b.CreateSelect(e.masks.active(), addresses, e.values.splat(safe_address(e)));
  Value* result = llvm::PoisonValue::get(vector);
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    result = b.CreateInsertElement(
        result,
        b.CreateAlignedLoad(type, pointer_of(e, b.CreateExtractElement(addresses, lane)), Align(1), access.is_volatile),
        lane);
  return result;
}

// Lane by lane; those that are off read a dummy.
Components gather_whole(Emitter& e, const MemoryAccess& access, Type* type) {
  auto& b = e.b;
  Value* addresses = e.values.vector_of(access.address);
  if (!e.all_active()) addresses = b.CreateSelect(e.masks.active(), addresses, e.values.splat(safe_address(e)));
  Components all(static_cast<std::size_t>(access.components), llvm::PoisonValue::get(e.values.lanes(type)));
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const auto words = load_words(e, access, type, b.CreateExtractElement(addresses, lane));
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = b.CreateInsertElement(all[c], words[c], lane);
  }
  return all;
}

Components gather_all(Emitter& e, const MemoryAccess& access, Type* type) {
  if (access.is_whole()) return gather_whole(e, access, type);
  Components all;
  for (int c = 0; c < access.components; ++c)
    all.push_back(gather(e, access, type, static_cast<unsigned>(c) * access.size));
  return all;
}

Components load_pieces(Emitter& e, const MemoryAccess& access, Type* type, int width) {
  auto& b = e.b;
  const Lanes& lanes = e.plan.patterns.lanes(access.address.form.pattern);
  const int components = access.components, groups = access.address.form.groups;
  std::vector<llvm::SmallVector<Value*, 4>> pieces(static_cast<std::size_t>(components));
  Value* active = e.all_active() ? nullptr : e.masks.active();
  for (int first = 0; first < 32; first += width) {
    Value* base = e.values.base_of(access.address, first * groups / 32);
    Value* address = b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(lanes[first])));
    Value* mask = active ? slice(e, active, first, width) : nullptr;
    if (run_of(lanes, first, width, access.bytes()) == Run::same) {
      if (mask) {
        Value* any = b.CreateICmpNE(b.CreateBitCast(mask, e.values.integer(width)),
                                    e.values.constant(e.values.integer(width), 0));
        address = b.CreateSelect(any, address, safe_address(e));
      }
      const auto words = load_words(e, access, type, address);
      for (std::size_t c = 0; c < words.size(); ++c)
        pieces[c].push_back(b.CreateVectorSplat(static_cast<unsigned>(width), words[c]));
      continue;
    }
    auto* vector = llvm::cast<llvm::VectorType>(e.values.lanes(type, width * components));
    Value* pointer = pointer_of(e, address);
    Value* loaded = mask ? load_masked(e, access, vector, {pointer, mask})
                         : b.CreateAlignedLoad(vector, pointer, Align(1), access.is_volatile);
    for (int c = 0; c < components; ++c) {
      if (components == 1) {
        pieces[0].push_back(loaded);
        continue;
      }
      llvm::SmallVector<int, 32> order;
      for (int i = 0; i < width; ++i) order.push_back(i * components + c);
      pieces[static_cast<std::size_t>(c)].push_back(b.CreateShuffleVector(loaded, order));
    }
  }
  Components all;
  for (auto& each : pieces) all.push_back(join(e, each));
  return all;
}

// The lanes of one layout; the address is affine or varying.
Components load_lanes(Emitter& e, const MemoryAccess& access, Type* type) {
  if (is_permutation(access)) return {load_permuted(e, access, type)};
  if (!access.address.form.is_affine()) return gather_all(e, access, type);
  const int width = piece_width(access, e.plan.patterns.lanes(access.address.form.pattern), Pieces::contiguous_or_same);
  if (!width || (!e.all_active() && !masks_well(e, access))) return gather_all(e, access, type);
  return load_pieces(e, access, type, width);
}

// One scalar per group.
llvm::SmallVector<Held, 4> load_groups(Emitter& e, const MemoryAccess& access, Type* type, const RegisterForm& form) {
  auto& b = e.b;
  llvm::SmallVector<Held, 4> all(static_cast<std::size_t>(access.components), Held{form, {}});
  for (int group = 0; group < form.groups; ++group) {
    Value* address = e.values.group_value(access.address, group);
    if (!e.all_active() && (e.guarded || form.groups > 1)) {
      const int width = 32 / form.groups;
      Value* lanes =
          b.CreateAnd(e.masks.active_mask(),
                      b.getInt32(static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1) << (group * width)));
      address = b.CreateSelect(b.CreateICmpNE(lanes, b.getInt32(0)), address, safe_address(e));
    }
    const auto words = load_words(e, access, type, address);
    for (std::size_t c = 0; c < words.size(); ++c) all[c].parts.push_back(words[c]);
  }
  return all;
}

}  // namespace

void emit_load(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const Operand& where = operands[1];
  auto targets = [&](auto write) {
    if (operands[0].kind == Operand::Kind::vector) {
      const auto elements = e.function.elements_of(operands[0]);
      for (std::size_t i = 0; i < elements.size(); ++i) write(elements[i], i);
    } else {
      write(operands[0], 0);
    }
  };
  if (where.symbol_kind == ptx::SymbolKind::argument &&
      !e.arguments.in_memory(where.index)) {  // the result of a service
    targets([&](const Operand& target, std::size_t i) {
      const auto found = e.arguments.values.find(
          {where.index, where.offset + static_cast<std::int64_t>(i) * ptx::bytes_of(instruction.type())});
      if (found == e.arguments.values.end()) e.not_refused(instruction);
      e.registers.write(target, found->second, instruction.type());
    });
    return;
  }
  const MemoryAccess access = access_of(e, instruction, 1, Access::read);
  emit_record(e, access);
  Type* type = memory_type(e, instruction.type());
  const RegisterForm form = e.plan.rules().result(instruction).form;
  if (form.is_affine()) {
    const auto loaded = load_groups(e, access, type, form);
    targets([&](const Operand& target, std::size_t i) { e.registers.write(target, loaded[i], instruction.type()); });
  } else {
    Components loaded;
    with_plain_index(
        e, access,
        [&](const MemoryAccess& plain) {
          emit_prefetch(e, plain);
          return load_lanes(e, plain, type);
        },
        loaded);
    targets([&](const Operand& target, std::size_t i) {
      e.registers.write(target, e.values.varying(loaded[i]), instruction.type());
    });
  }
  if (instruction.has(Modifier::acquire)) e.b.CreateFence(llvm::AtomicOrdering::Acquire);
}

}  // namespace xcuda::device::cpu
