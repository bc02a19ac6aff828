// Stores of all spaces: as loads, with scatters.
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

// The words of one lane by one instruction, if they are to be written at once.
void store_words(Emitter& e, const MemoryAccess& access, std::span<Value* const> words, Value* pointer) {
  auto& b = e.b;
  if (!access.is_whole()) {
    for (std::size_t c = 0; c < words.size(); ++c) {
      Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer, c * access.size);
      b.CreateAlignedStore(words[c], at, Align(1), access.is_volatile);
    }
    return;
  }
  Value* whole =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(words[0]->getType(), static_cast<unsigned>(words.size())));
  for (std::size_t c = 0; c < words.size(); ++c) whole = b.CreateInsertElement(whole, words[c], c);
  b.CreateAlignedStore(whole, pointer, Align(1), true);
}

void scatter(Emitter& e, const MemoryAccess& access, std::span<Value* const> values) {
  auto& b = e.b;
  Value* addresses = e.values.vector_of(access.address);
  if (e.features.avx512 && access.size >= 4 && !access.is_whole()) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      Value* at = c ? b.CreateAdd(addresses, e.values.constant(addresses->getType(), c * access.size)) : addresses;
      b.CreateMaskedScatter(values[c], b.CreateIntToPtr(at, e.values.lanes(b.getPtrTy())), Align(1), e.masks.active());
    }
    return;
  }
  Value* slots = e.slots.spill(addresses);
  llvm::SmallVector<Value*, 4> spilled;
  for (Value* value : values) spilled.push_back(e.slots.spill(value));
  e.masks.each_lane(e.masks.active_mask(), [&](Value* lane) {
    Value* address = b.CreateLoad(b.getInt64Ty(), e.slots.lane_slot(slots, b.getInt64Ty(), lane));
    Components words;
    for (std::size_t c = 0; c < values.size(); ++c) {
      Type* type = values[c]->getType()->getScalarType();
      words.push_back(b.CreateLoad(type, e.slots.lane_slot(spilled[c], type, lane)));
    }
    store_words(e, access, words, pointer_of(e, address));
  });
}

void store_pieces(Emitter& e, const MemoryAccess& access, std::span<Value* const> values, int width) {
  auto& b = e.b;
  const Lanes& lanes = e.plan.patterns.lanes(access.address.form.pattern);
  const int groups = access.address.form.groups, components = access.components;
  Value* active = e.all_active() ? nullptr : e.masks.active();
  for (int first = 0; first < 32; first += width) {
    Value* address = b.CreateAdd(e.values.base_of(access.address, first * groups / 32),
                                 b.getInt64(static_cast<std::uint64_t>(lanes[first])));
    Value* pointer = pointer_of(e, address);
    Value* piece = slice(e, values[0], first, width);
    if (components == 2) {
      llvm::SmallVector<int, 64> order;
      for (int i = 0; i < width; ++i)
        for (int c = 0; c < 2; ++c) order.push_back(c * width + i);
      piece = b.CreateShuffleVector(piece, slice(e, values[1], first, width), order);
    } else if (components == 4) {
      llvm::SmallVector<Value*, 4> parts;
      for (Value* value : values) parts.push_back(slice(e, value, first, width));
      Value* whole = join(e, parts);
      llvm::SmallVector<int, 128> order;
      for (int i = 0; i < width; ++i)
        for (int c = 0; c < 4; ++c) order.push_back(c * width + i);
      piece = b.CreateShuffleVector(whole, order);
    }
    if (active)
      store_masked(e, access, piece, {pointer, slice(e, active, first, width)});
    else
      b.CreateAlignedStore(piece, pointer, Align(1), access.is_volatile);
  }
}

// All lanes at one address: the last one that is on wins.
void store_one(Emitter& e, const MemoryAccess& access, std::span<const Held> values) {
  auto& b = e.b;
  auto store = [&] {
    Value* last = e.all_active()
                      ? static_cast<Value*>(b.getInt32(31))
                      : b.CreateSub(b.getInt32(31),
                                    b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, e.masks.active_mask(), b.getTrue()));
    Components words;
    for (const Held& value : values)
      words.push_back(value.uniform() ? value.parts[0] : b.CreateExtractElement(e.values.vector_of(value), last));
    store_words(e, access, words, pointer_into(e, access, access.address.parts[0]));
  };
  if (!e.guarded) return store();
  llvm::BasicBlock *some = e.new_block("some_lane"), *on = e.new_block("stored");
  b.CreateCondBr(b.CreateICmpNE(e.masks.active_mask(), b.getInt32(0)), some, on);
  b.SetInsertPoint(some);
  store();
  b.CreateBr(on);
  b.SetInsertPoint(on);
}

}  // namespace

void emit_store(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const Operand& where = operands[0];
  llvm::SmallVector<Held, 4> values;
  auto read = [&](const Operand& operand) {
    Held value = e.registers.read(operand, instruction.type());
    if (value.form.kind == RegisterForm::Kind::delayed || value.form.is_permuted())
      value = e.values.varying(e.values.vector_of(value));
    values.push_back(value);
  };
  if (operands[1].kind == Operand::Kind::vector)
    for (const Operand& element : e.function.elements_of(operands[1])) read(element);
  else
    read(operands[1]);
  if (where.symbol_kind == ptx::SymbolKind::argument && !e.arguments.in_memory(where.index)) {  // for a service
    for (std::size_t i = 0; i < values.size(); ++i)
      e.arguments
          .values[{where.index, where.offset + static_cast<std::int64_t>(i) * ptx::bytes_of(instruction.type())}] =
          values[i];
    return;
  }
  if (instruction.has(Modifier::release)) e.b.CreateFence(llvm::AtomicOrdering::Release);
  const MemoryAccess access = access_of(e, instruction, 0, Access::write);
  if (e.recorded()) {
    Components stored;
    for (const Held& value : values) stored.push_back(e.values.vector_of(value));
    emit_record(e, access, stored);
  }
  if (access.address.uniform()) return store_one(e, access, values);
  Components vectors;
  for (const Held& value : values) vectors.push_back(e.values.vector_of(value));
  Components nothing;
  with_plain_index(
      e, access,
      [&](const MemoryAccess& plain) {
        if (is_permutation(plain)) {
          store_permuted(e, plain, vectors[0]);
          return Components{};
        }
        if (plain.address.form.is_affine()) {
          const int width = piece_width(plain, e.plan.patterns.lanes(plain.address.form.pattern), Pieces::contiguous);
          if (width && (e.all_active() || masks_well(e, plain))) {
            store_pieces(e, plain, vectors, width);
            return Components{};
          }
        }
        scatter(e, plain, vectors);
        return Components{};
      },
      nothing);
}

}  // namespace xcuda::device::cpu
