// Loads and stores of all spaces. What matters for speed is the layout of the lanes: one scalar access for what a warp
// or row group shares, plain vectors for what is contiguous, gathers and scatters for the rest.
#include <llvm/IR/MDBuilder.h>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/memory_access.hpp"

namespace xcuda::device::cpu {

using ptx::Space;
using Components = llvm::SmallVector<Value*, 4>;

namespace {

// Shared memory belongs to the thread that runs the block, and what a whole warp accesses side by side lies near the
// element of a lane that is on: without AVX-512 it takes less time to read all and to write some back as they were.
bool takes_all(Emitter& e, const MemoryAccess& access, Value* mask) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  const bool near = access.address.form.is_permuted() || lanes == lanes_per_warp;
  return !e.features().avx512 && access.space == Space::shared && near && !e.guarded() && !access.is_volatile;
}

}  // namespace

Value* load_masked(Emitter& e, const MemoryAccess& access, llvm::VectorType* type, const Masked& masked) {
  if (takes_all(e, access, masked.mask)) return e.b().CreateAlignedLoad(type, masked.pointer, Align(1));
  return e.b().CreateMaskedLoad(type, masked.pointer, Align(1), masked.mask);
}

void store_masked(Emitter& e, const MemoryAccess& access, Value* value, const Masked& masked) {
  auto& b = e.b();
  if (!takes_all(e, access, masked.mask)) {
    b.CreateMaskedStore(value, masked.pointer, Align(1), masked.mask);
    return;
  }
  Value* old = b.CreateAlignedLoad(value->getType(), masked.pointer, Align(1));
  b.CreateAlignedStore(b.CreateSelect(masked.mask, value, old), masked.pointer, Align(1));
}

namespace {

Value* pointer_of(Emitter& e, Value* address) { return e.b().CreateIntToPtr(address, e.b().getPtrTy()); }

Held address_of(Emitter& e, const Operand& operand) {
  auto& b = e.b();
  if (operand.reg == ptx::none) return e.address_of_symbol(operand);
  Operand base = operand;
  base.kind = Operand::Kind::reg;
  const bool narrow = ptx::bits_of(e.function().registers[operand.reg]) == 32;  // of shared memory
  Held held = e.read(base, narrow ? PtxType::b32 : PtxType::b64);
  if (narrow) {
    // Sign-extended, so that an offset below 0 of a lane that is off does not spoil the base.
    for (Value*& part : held.parts) {
      part = b.CreateSExt(part, held.form.is_varying() ? static_cast<Type*>(e.lanes(b.getInt64Ty())) : b.getInt64Ty());
      if (held.form.is_permuted()) break;
    }
  }
  if (operand.offset == 0) return held;
  return e.moved(held, b.getInt64(static_cast<std::uint64_t>(operand.offset)));
}

Type* memory_type(Emitter& e, PtxType type) { return type == PtxType::pred ? e.b().getInt8Ty() : e.element(type); }

// A load or store of lanes [first, first + count), contiguous or all at one address.
enum class Run : std::uint8_t { contiguous, same, mixed };
Run run_of(const Lanes& lanes, int first, int count, std::int64_t stride) {
  bool contiguous = true, same = true;
  for (int i = 1; i < count; ++i) {
    contiguous &= lanes[first + i] - lanes[first] == i * stride;
    same &= lanes[first + i] == lanes[first];
  }
  return same ? Run::same : contiguous ? Run::contiguous : Run::mixed;
}

// The widest pieces that the pattern falls into, at least 8 lanes each; 0 when there are none.
int piece_width(const MemoryAccess& access, const Lanes& lanes, bool same_allowed) {
  for (int width = 32 / access.address.form.groups; width >= 8; width /= 2) {
    bool all = true;
    for (int first = 0; first < 32; first += width) {
      const Run run = run_of(lanes, first, width, access.bytes());
      all &= run == Run::contiguous || (run == Run::same && same_allowed);
    }
    if (all) return width;
  }
  return 0;
}

Value* slice(Emitter& e, Value* vector, int first, int count) {
  llvm::SmallVector<int, 32> order;
  for (int i = 0; i < count; ++i) order.push_back(first + i);
  return e.b().CreateShuffleVector(vector, order);
}

Value* join(Emitter& e, llvm::SmallVector<Value*, 4> pieces) {
  while (pieces.size() > 1) {
    llvm::SmallVector<Value*, 4> joined;
    for (std::size_t i = 0; i < pieces.size(); i += 2) {
      const auto count = static_cast<int>(llvm::cast<llvm::FixedVectorType>(pieces[i]->getType())->getNumElements());
      llvm::SmallVector<int, 64> order;
      for (int k = 0; k < 2 * count; ++k) order.push_back(k);
      joined.push_back(e.b().CreateShuffleVector(pieces[i], pieces[i + 1], order));
    }
    pieces = joined;
  }
  return pieces[0];
}

// --- Loads ---------------------------------------------------------------------------------------------------------

// An address that may be read when no lane wants to.
Value* safe_address(Emitter& e) { return e.b().CreatePtrToInt(e.dummy(), e.b().getInt64Ty()); }

Value* load_scalar(Emitter& e, const MemoryAccess& access, Type* type, Value* address, unsigned offset) {
  auto& b = e.b();
  Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer_of(e, address), offset);
  return b.CreateAlignedLoad(type, at, Align(1), access.is_volatile);
}

Value* gather(Emitter& e, const MemoryAccess& access, Type* type, unsigned offset) {
  auto& b = e.b();
  Value* addresses = e.vector_of(access.address);
  if (offset) addresses = b.CreateAdd(addresses, e.constant(addresses->getType(), offset));
  Type* vector = e.lanes(type);
  if (e.features().avx512 && access.size >= 4) {
    Value* pointers = b.CreateIntToPtr(addresses, e.lanes(b.getPtrTy()));
    return b.CreateMaskedGather(vector, pointers, Align(1), e.active(), llvm::PoisonValue::get(vector));
  }
  // Lanes that are off read a dummy: no branches.
  if (!e.all_active()) addresses = b.CreateSelect(e.active(), addresses, e.splat(safe_address(e)));
  Value* result = llvm::PoisonValue::get(vector);
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    result = b.CreateInsertElement(
        result,
        b.CreateAlignedLoad(type, pointer_of(e, b.CreateExtractElement(addresses, lane)), Align(1), access.is_volatile),
        lane);
  return result;
}

Components gather_all(Emitter& e, const MemoryAccess& access, Type* type) {
  Components all;
  for (int c = 0; c < access.components; ++c)
    all.push_back(gather(e, access, type, static_cast<unsigned>(c) * access.size));
  return all;
}

bool masks_well(Emitter& e, const MemoryAccess& access) {  // masked vector accesses that are one instruction
  return access.components == 1 && (e.features().avx512 || access.size >= 4);
}

Components load_pieces(Emitter& e, const MemoryAccess& access, Type* type, int width) {
  auto& b = e.b();
  const Lanes& lanes = e.plan().patterns.lanes(access.address.form.pattern);
  const int components = access.components, groups = access.address.form.groups;
  std::vector<llvm::SmallVector<Value*, 4>> pieces(static_cast<std::size_t>(components));
  Value* active = e.all_active() ? nullptr : e.active();
  for (int first = 0; first < 32; first += width) {
    Value* base = e.base_of(access.address, first * groups / 32);
    Value* address = b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(lanes[first])));
    Value* mask = active ? slice(e, active, first, width) : nullptr;
    if (run_of(lanes, first, width, access.bytes()) == Run::same) {
      if (mask) {
        Value* any = b.CreateICmpNE(b.CreateBitCast(mask, e.integer(width)), e.constant(e.integer(width), 0));
        address = b.CreateSelect(any, address, safe_address(e));
      }
      for (int c = 0; c < components; ++c)
        pieces[static_cast<std::size_t>(c)].push_back(
            b.CreateVectorSplat(static_cast<unsigned>(width),
                                load_scalar(e, access, type, address, static_cast<unsigned>(c) * access.size)));
      continue;
    }
    auto* vector = llvm::cast<llvm::VectorType>(e.lanes(type, width * components));
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
  const int width = piece_width(access, e.plan().patterns.lanes(access.address.form.pattern), true);
  if (!width || (!e.all_active() && !masks_well(e, access))) return gather_all(e, access, type);
  return load_pieces(e, access, type, width);
}

// One scalar per group.
llvm::SmallVector<Held, 4> load_groups(Emitter& e, const MemoryAccess& access, Type* type, const Form& form) {
  auto& b = e.b();
  llvm::SmallVector<Held, 4> all(static_cast<std::size_t>(access.components), Held{form, {}});
  for (int group = 0; group < form.groups; ++group) {
    Value* address = e.group_value(access.address, group);
    if (!e.all_active() && (e.guarded() || form.groups > 1)) {
      const int width = 32 / form.groups;
      Value* lanes = b.CreateAnd(
          e.active_mask(), b.getInt32(static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1) << (group * width)));
      address = b.CreateSelect(b.CreateICmpNE(lanes, b.getInt32(0)), address, safe_address(e));
    }
    for (int c = 0; c < access.components; ++c)
      all[static_cast<std::size_t>(c)].parts.push_back(
          load_scalar(e, access, type, address, static_cast<unsigned>(c) * access.size));
  }
  return all;
}

// A delayed index is plain when no lane's index wraps at 2^32.
Value* wraps(Emitter& e, const Held& address) {
  auto& b = e.b();
  const std::int64_t least = e.plan().patterns.least(address.form.pattern),
                     greatest = e.plan().patterns.greatest(address.form.pattern);
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
  auto& b = e.b();
  Lanes lanes = e.plan().patterns.lanes(address.form.pattern);
  for (std::int64_t& lane : lanes) lane *= address.form.scale;
  const auto pattern = e.plan().patterns.find(lanes);
  if (!pattern) return e.varying(e.vector_of(address));
  Held plain{Form{Form::Kind::affine, address.form.groups, 0, *pattern, 1}, {}};
  for (unsigned group = 0; group < address.form.groups; ++group) {
    Value* index = address.parts[address.form.groups + group];
    index = range == IndexRange::below_2_32 ? b.CreateZExt(index, b.getInt64Ty()) : b.CreateSExt(index, b.getInt64Ty());
    plain.parts.push_back(b.CreateAdd(address.parts[group], b.CreateMul(index, b.getInt64(address.form.scale))));
  }
  return plain;
}

}  // namespace

// Runs `body` with the address as affine, or as a vector where an index wraps, and merges what it returns.
void with_plain_index(Emitter& e, const MemoryAccess& access,
                      const std::function<Components(const MemoryAccess&)>& body, Components& results) {
  auto& b = e.b();
  if (access.address.form.kind != Form::Kind::delayed) {
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
  exact.address = exact.offset = e.varying(e.vector_of(access.address));
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

Held Emitter::shared_address(const ptx::Operand& operand) { return address_of(*this, operand); }

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
  access.origin = origin_of(operand, e.plan().origins);
  access.offset = address_of(e, operand);
  access.address = access.offset;
  if (access.space == Space::shared) access.address = e.moved(access.offset, e.shared_base());
  if (access.address.form.kind == Form::Kind::delayed && access.space == Space::shared) {  // s[t - 1] of an unsigned t
    access.offset = plain_index(e, access.offset, IndexRange::below_2_31);
    access.address = e.moved(access.offset, e.shared_base());
  }
  if (access.address.form.kind != Form::Kind::delayed) emit_check(e, access);
  return access;
}

void emit_load(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const Operand& where = operands[1];
  auto targets = [&](auto write) {
    if (operands[0].kind == Operand::Kind::vector) {
      const auto elements = e.function().elements_of(operands[0]);
      for (std::size_t i = 0; i < elements.size(); ++i) write(elements[i], i);
    } else {
      write(operands[0], 0);
    }
  };
  if (where.symbol_kind == ptx::SymbolKind::argument && !e.in_memory(where.index)) {  // the result of a service
    targets([&](const Operand& target, std::size_t i) {
      const auto found = e.arguments.find(
          {where.index, where.offset + static_cast<std::int64_t>(i) * ptx::bytes_of(instruction.type())});
      if (found == e.arguments.end()) e.unsupported(instruction, "a call's result that is read in parts");
      e.write(target, found->second, instruction.type());
    });
    return;
  }
  const MemoryAccess access = access_of(e, instruction, 1, Access::read);
  emit_record(e, access);
  Type* type = memory_type(e, instruction.type());
  const Form form = e.plan().rules().result(instruction).form;
  if (form.is_affine()) {
    const auto loaded = load_groups(e, access, type, form);
    targets([&](const Operand& target, std::size_t i) { e.write(target, loaded[i], instruction.type()); });
  } else {
    Components loaded;
    with_plain_index(
        e, access,
        [&](const MemoryAccess& plain) {
          emit_prefetch(e, plain);
          return load_lanes(e, plain, type);
        },
        loaded);
    targets([&](const Operand& target, std::size_t i) { e.write(target, e.varying(loaded[i]), instruction.type()); });
  }
  if (instruction.has(Modifier::acquire)) e.b().CreateFence(llvm::AtomicOrdering::Acquire);
}

// --- Stores --------------------------------------------------------------------------------------------------------

namespace {

void scatter(Emitter& e, const MemoryAccess& access, std::span<Value* const> values) {
  auto& b = e.b();
  Value* addresses = e.vector_of(access.address);
  if (e.features().avx512 && access.size >= 4) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      Value* at = c ? b.CreateAdd(addresses, e.constant(addresses->getType(), c * access.size)) : addresses;
      b.CreateMaskedScatter(values[c], b.CreateIntToPtr(at, e.lanes(b.getPtrTy())), Align(1), e.active());
    }
    return;
  }
  Value* slots = e.spill(addresses);
  llvm::SmallVector<Value*, 4> spilled;
  for (Value* value : values) spilled.push_back(e.spill(value));
  e.each_lane(e.active_mask(), [&](Value* lane) {
    Value* address = b.CreateLoad(b.getInt64Ty(), e.lane_slot(slots, b.getInt64Ty(), lane));
    for (std::size_t c = 0; c < values.size(); ++c) {
      Type* type = values[c]->getType()->getScalarType();
      Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer_of(e, address), c * access.size);
      b.CreateAlignedStore(b.CreateLoad(type, e.lane_slot(spilled[c], type, lane)), at, Align(1), access.is_volatile);
    }
  });
}

void store_pieces(Emitter& e, const MemoryAccess& access, std::span<Value* const> values, int width) {
  auto& b = e.b();
  const Lanes& lanes = e.plan().patterns.lanes(access.address.form.pattern);
  const int groups = access.address.form.groups, components = access.components;
  Value* active = e.all_active() ? nullptr : e.active();
  for (int first = 0; first < 32; first += width) {
    Value* address = b.CreateAdd(e.base_of(access.address, first * groups / 32),
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
  auto& b = e.b();
  auto store = [&] {
    Value* last =
        e.all_active()
            ? static_cast<Value*>(b.getInt32(31))
            : b.CreateSub(b.getInt32(31), b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, e.active_mask(), b.getTrue()));
    for (std::size_t c = 0; c < values.size(); ++c) {
      Value* value = values[c].uniform() ? values[c].parts[0] : b.CreateExtractElement(e.vector_of(values[c]), last);
      Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer_of(e, access.address.parts[0]), c * access.size);
      b.CreateAlignedStore(value, at, Align(1), access.is_volatile);
    }
  };
  if (!e.guarded()) return store();
  llvm::BasicBlock *some = e.new_block("some_lane"), *on = e.new_block("stored");
  b.CreateCondBr(b.CreateICmpNE(e.active_mask(), b.getInt32(0)), some, on);
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
    Held value = e.read(operand, instruction.type());
    if (value.form.kind == Form::Kind::delayed || value.form.is_permuted()) value = e.varying(e.vector_of(value));
    values.push_back(value);
  };
  if (operands[1].kind == Operand::Kind::vector)
    for (const Operand& element : e.function().elements_of(operands[1])) read(element);
  else
    read(operands[1]);
  if (where.symbol_kind == ptx::SymbolKind::argument && !e.in_memory(where.index)) {  // for a service
    for (std::size_t i = 0; i < values.size(); ++i)
      e.arguments[{where.index, where.offset + static_cast<std::int64_t>(i) * ptx::bytes_of(instruction.type())}] =
          values[i];
    return;
  }
  if (instruction.space == Space::param && e.function().entry && where.symbol_kind != ptx::SymbolKind::argument)
    e.unsupported(instruction, "a store to a parameter of the kernel");
  if (instruction.has(Modifier::release)) e.b().CreateFence(llvm::AtomicOrdering::Release);
  const MemoryAccess access = access_of(e, instruction, 0, Access::write);
  if (e.recorded()) {
    Components stored;
    for (const Held& value : values) stored.push_back(e.vector_of(value));
    emit_record(e, access, stored);
  }
  if (access.address.uniform()) return store_one(e, access, values);
  Components vectors;
  for (const Held& value : values) vectors.push_back(e.vector_of(value));
  Components nothing;
  with_plain_index(
      e, access,
      [&](const MemoryAccess& plain) {
        if (is_permutation(plain)) {
          store_permuted(e, plain, vectors[0]);
          return Components{};
        }
        if (plain.address.form.is_affine()) {
          const int width = piece_width(plain, e.plan().patterns.lanes(plain.address.form.pattern), false);
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
