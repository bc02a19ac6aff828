// Bounds checks. Nearly every access traces to one kernel parameter or module variable: its addresses are compared with
// the bounds of *that argument's* array, which are loaded once at the start of the function. An access of unknown
// origin is compared with the range it was last found in, kept per instruction. Accesses to one register plus constants
// are checked together.
//
// This comparison also finds addresses that are not aligned: the offset from the array's beginning, which is aligned,
// is rotated to the right, so that its low bits become high ones and the offset is beyond every array.
//
// The quick check may fail for lanes that are off: then the service looks at each active lane of each access.
#include <algorithm>
#include <bit>

#include "device/cpu/emit/bounds_mark.hpp"
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

using ptx::Space;

namespace {

struct Range {
  Value* begin = nullptr;  // i64
  Value* size = nullptr;
  bool hoisted = false;  // constant during the function
};

int slot_of(Emitter& e, const Origin& origin) {
  auto& slots = e.code.bounds;
  const bool variable = origin.kind == Origin::Kind::variable;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (variable ? slots[i].variable == static_cast<int>(origin.index)
                 : slots[i].variable < 0 && slots[i].parameter_offset == origin.index)
      return static_cast<int>(i);
  BoundsSlot slot;
  if (variable) {
    slot.variable = static_cast<int>(origin.index);
  } else {
    slot.parameter_offset = origin.index;
    const auto& parameters = e.function.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].offset <= origin.index && origin.index < parameters[i].offset + parameters[i].size)
        slot.parameter = static_cast<std::uint32_t>(i);
  }
  slots.push_back(slot);
  return static_cast<int>(slots.size()) - 1;
}

Range bounds_of(Emitter& e, const MemoryAccess& access, const AccessSite& site) {
  auto& b = e.b;
  auto* i64 = b.getInt64Ty();
  if (access.space == Space::shared) return {b.getInt64(0), e.context.shared_size(), true};
  if (access.space == Space::local) return {b.getInt64(0), b.getInt64(e.plan.local.bytes), true};
  if (site.slot >= 0) {
    const std::size_t at = sizeof(AddressRange) * static_cast<std::size_t>(site.slot);
    return {e.context.bounds_word(at + offsetof(AddressRange, begin)),
            e.context.bounds_word(at + offsetof(AddressRange, size)), true};
  }
  Value* caches = e.context.frame_pointer(offsetof(BlockFrame, caches));
  auto word = [&](std::size_t offset) {
    return b.CreateLoad(
        i64, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), caches,
                                          sizeof(AddressRange) * static_cast<std::size_t>(site.cache) + offset));
  };
  return {word(offsetof(AddressRange, begin)), word(offsetof(AddressRange, size)), false};
}

}  // namespace

std::optional<ArrayBounds> bounds_of_array(Emitter& e, const MemoryAccess& access) {
  if (!access.origin.is_array()) return std::nullopt;
  const std::size_t at = sizeof(AddressRange) * static_cast<std::size_t>(slot_of(e, access.origin));
  return ArrayBounds{e.context.bounds_word(at + offsetof(AddressRange, begin)),
                     e.context.bounds_word(at + offsetof(AddressRange, size))};
}

namespace {

// How many first bytes of the range an access of `span` bytes may begin at, in units of 1 << shift.
Value* room(Emitter& e, const Range& range, std::uint64_t span, unsigned shift) {
  auto make = [&](auto& b) -> Value* {
    Value* fits = b.CreateICmpUGE(range.size, b.getInt64(span));
    Value* bytes = b.CreateSelect(fits, b.CreateSub(range.size, b.getInt64(span - 1)), b.getInt64(0));
    return shift ? b.CreateLShr(b.CreateAdd(bytes, b.getInt64((std::uint64_t{1} << shift) - 1)), b.getInt64(shift))
                 : bytes;
  };
  if (range.hoisted) return e.at_entry(make);
  return make(e.b);
}

AccessSite::Space site_space(Space space) {
  switch (space) {
    case Space::shared: return AccessSite::Space::shared;
    case Space::local: return AccessSite::Space::local;
    case Space::constant: return AccessSite::Space::constant;
    case Space::global: return AccessSite::Space::global;
    default: return AccessSite::Space::generic;
  }
}

Access access_kind(const ptx::Instruction& instruction) {
  const bool arrivals = instruction.is(ptx::Trait::arrivals);
  if (instruction.is(ptx::Trait::writes) || (arrivals && instruction.has(ptx::Modifier::init))) return Access::write;
  return arrivals || instruction.is(ptx::Trait::atomic) ? Access::atomic : Access::read;
}

// Fills the site of an access; both clones share it.
std::uint32_t described(Emitter& e, const ptx::Instruction& instruction, Space space, const Origin& origin, int slot,
                        int cache) {
  const std::uint32_t index = e.services.site(instruction);
  AccessSite& site = e.services.site_at(index);
  if (site.size) return index;
  // How many values a store reports; the other instructions have none.
  site.components = instruction.is(ptx::Trait::arrivals) ? 0 : static_cast<std::uint32_t>(instruction.vector);
  site.synchronises |= instruction.synchronises();
  site.access = access_kind(instruction);
  const ptx::Operand* copied =
      instruction.is(ptx::Trait::copies) && instruction.operand_count > 2 ? &e.operands(instruction)[2] : nullptr;
  site.size = copied
                  ? static_cast<std::uint32_t>(copied->bits)
                  : static_cast<std::uint32_t>(std::max(1, ptx::bits_of(instruction.type()) / 8) * instruction.vector);
  site.space = site_space(space);
  if (space == Space::shared || space == Space::local) return index;
  if (slot >= 0)
    site.slot = slot;
  else if (origin.is_array())
    site.slot = slot_of(e, origin);
  else
    site.cache = cache >= 0 ? cache : e.services.new_cache();
  return index;
}

std::uint64_t bytes_of(const ptx::Instruction& instruction) {
  return static_cast<std::uint64_t>(std::max(1, ptx::bits_of(instruction.type()) / 8)) *
         static_cast<std::uint64_t>(instruction.vector);
}

// What the lowest address of a group has to be a multiple of, so that all of its accesses are aligned, where one number
// says so; otherwise 0.
std::uint64_t common_alignment(Emitter& e, const CheckGroup* group, const MemoryAccess& access) {
  if (!group) return std::has_single_bit(access.bytes()) ? access.bytes() : 0;
  std::uint64_t greatest = 1;
  for (const ptx::Index member : group->members)
    greatest = std::max(greatest, bytes_of(e.function.instructions[member]));
  if (!std::has_single_bit(greatest)) return 0;
  for (const ptx::Index member : group->members) {
    const ptx::Instruction& instruction = e.function.instructions[member];
    const auto distance = static_cast<std::uint64_t>(accessed(e.function, instruction)->offset - group->begin);
    const std::uint64_t bytes = bytes_of(instruction);
    if (distance % bytes != 0 || (bytes == greatest && distance % greatest != 0)) return 0;
  }
  return greatest;
}

// A variable of known size at a constant offset needs no check.
bool known_inside(Emitter& e, const MemoryAccess& access) {
  const ptx::Operand* operand = accessed(e.function, access.instruction);
  if (!operand || operand->reg != ptx::kNoIndex) return false;
  const ptx::Variable* variable =
      operand->symbol_kind == ptx::SymbolKind::variable ? &e.module.variables[operand->index]
      : operand->symbol_kind == ptx::SymbolKind::local  ? &e.function.variables[operand->index]
                                                        : nullptr;
  return variable && operand->offset >= 0 &&
         static_cast<std::uint64_t>(operand->offset) + access.bytes() <= variable->size;
}

}  // namespace

void emit_check(Emitter& e, const MemoryAccess& access) {
  if (!e.checked() || access.space == Space::param || known_inside(e, access)) return;
  auto& b = e.b;
  const CheckGroup* group = access.grouped ? e.plan.checks.of(e.index_of(access.instruction)) : nullptr;
  const auto self = e.index_of(access.instruction);
  if (group && group->members.front() != self) return;
  const ptx::Operand* operand = accessed(e.function, access.instruction);
  const std::int64_t own = operand ? operand->offset : 0;
  const std::int64_t begin = group ? group->begin - own : 0;  // from this access's own address
  const std::int64_t end = group ? group->end - own : static_cast<std::int64_t>(access.bytes());

  const std::uint32_t index = described(e, access.instruction, access.space, access.origin, -1, -1);
  const AccessSite site = e.services.site_at(index);
  llvm::SmallVector<llvm::Constant*, 16> members;  // pairs of site and distance
  auto add_member = [&](std::uint32_t at, std::int64_t distance) {
    members.push_back(b.getInt32(at));
    members.push_back(b.getInt32(static_cast<std::uint32_t>(distance)));
  };
  if (!group)
    add_member(index, 0);
  else
    for (ptx::Index member : group->members) {
      const ptx::Instruction& instruction = e.function.instructions[member];
      add_member(described(e, instruction, access.space, access.origin, site.slot, site.cache),
                 accessed(e.function, instruction)->offset - own);
    }

  const Range range = bounds_of(e, access, site);
  Held at = access.space == Space::shared ? access.offset : access.address;
  const Held named = at;
  if (access.space == Space::local) {  // relative to the lane's own memory
    const RegisterForm lane = e.plan.local_form();
    if (at.form.is_affine() && at.form.pattern == lane.pattern) {
      at.form = RegisterForm::uniform();
      at.parts = {b.CreateSub(at.parts[0], e.context.local_base())};
    } else {
      Value* mine =
          b.CreateAdd(e.values.splat(e.context.local_base()), e.values.pattern_vector(lane.pattern, b.getInt64Ty()));
      at = e.values.varying(b.CreateSub(e.values.vector_of(at), mine));
    }
  }
  Value* outside = nullptr;
  const auto span = static_cast<std::uint64_t>(end - begin);
  const std::uint64_t alignment = common_alignment(e, group, access);
  auto rotated = [&](Value* first, unsigned shift) -> Value* {
    if (!shift) return first;
    return b.CreateIntrinsic(llvm::Intrinsic::fshr, {first->getType()},
                             {first, first, e.values.constant(first->getType(), shift)});
  };
  bool regular = at.form.is_affine() && alignment > 0;  // aligned for one lane is aligned for all
  std::int64_t least = 0, greatest = 0;
  if (at.form.is_permuted()) {
    regular = alignment > 0 && at.form.scale % alignment == 0;
    greatest = std::int64_t{31} * at.form.scale;
    if (regular) at = e.values.uniform(at.parts[0]);  // of all lanes, on or off
  } else if (at.form.is_affine()) {
    least = e.plan.patterns.least(at.form.pattern), greatest = e.plan.patterns.greatest(at.form.pattern);
  }
  if (regular)
    for (const std::int64_t lane : e.plan.patterns.lanes(at.form.pattern))
      regular &= (lane - e.plan.patterns.least(at.form.pattern)) % static_cast<std::int64_t>(alignment) == 0;
  if (regular || (alignment == 0 && at.form.is_affine())) {
    const unsigned shift = alignment ? static_cast<unsigned>(std::countr_zero(alignment)) : 0;
    Value* limit = room(e, range, static_cast<std::uint64_t>(greatest - least) + span, shift);
    for (Value* base : at.parts) {
      Value* first = b.CreateSub(base, range.begin);
      if (least + begin) first = b.CreateAdd(first, b.getInt64(static_cast<std::uint64_t>(least + begin)));
      Value* beyond = b.CreateICmpUGE(rotated(first, shift), limit);
      outside = outside ? b.CreateOr(outside, beyond) : beyond;
    }
  } else {
    const unsigned shift = alignment ? static_cast<unsigned>(std::countr_zero(alignment)) : 0;
    Value* limit = room(e, range, span, shift);
    // Quick code that not all lanes run calls the comparison: there is much of such code, and it seldom runs for long.
    if (e.code.tier == Tier::quick && !e.all_active() && access.space != Space::local) {
      Value* base = begin ? b.CreateSub(range.begin, b.getInt64(static_cast<std::uint64_t>(begin))) : range.begin;
      return e.services.check_apart(at, {base, limit, shift}, members);
    }
    Value* first = b.CreateSub(e.values.vector_of(at), e.values.splat(range.begin));
    if (begin) first = b.CreateAdd(first, e.values.constant(first->getType(), static_cast<std::uint64_t>(begin)));
    Value* beyond = b.CreateICmpUGE(rotated(first, shift), e.values.splat(limit));
    if (!e.all_active()) beyond = b.CreateAnd(beyond, e.masks.active());
    outside = b.CreateICmpNE(e.values.to_mask(beyond), b.getInt32(0));
  }
  llvm::BranchInst* branch = e.cold_branch(
      outside, [&] { e.services.check(named, members); }, "out_of_bounds");
  if (e.one_thread() && range.hoisted)
    branch->setMetadata(b.getContext().getMDKindID(kBoundsMark), llvm::MDNode::get(b.getContext(), {}));
}

void emit_record(Emitter& e, const MemoryAccess& access, std::span<Value* const> values) {
  if (!e.recorded() ||
      (access.space != Space::global && access.space != Space::shared && access.space != Space::generic))
    return;
  if (e.plan.phases.alone.contains(e.index_of(access.instruction)) && !e.initialisation_recorded()) return;
  auto& b = e.b;
  const std::uint32_t index = described(e, access.instruction, access.space, access.origin, -1, -1);
  Value* told = e.all_active() ? nullptr : b.CreateICmpNE(e.masks.active_mask(), b.getInt32(0));
  if (const int slot = e.services.site_at(index).slot; slot >= 0) {
    Value* watched = e.at_entry([&](llvm::IRBuilder<>& entry) -> Value* {
      auto* flags = entry.CreateLoad(entry.getPtrTy(), entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), e.launch,
                                                                                        offsetof(LaunchAbi, watched)));
      return entry.CreateICmpNE(
          entry.CreateLoad(entry.getInt8Ty(), entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), flags,
                                                                               static_cast<std::uint64_t>(slot))),
          entry.getInt8(0));
    });
    told = told ? b.CreateAnd(told, watched) : watched;
  }
  Held at = access.address;
  llvm::BasicBlock *some = e.new_block("record"), *on = e.new_block("recorded");
  if (told) {
    llvm::BasicBlock* marks = e.new_block("to_mark");
    b.CreateCondBr(told, marks, on);
    b.SetInsertPoint(marks);
  }
  if (!emit_marks(e, access, index, some, on)) b.CreateBr(some);
  b.SetInsertPoint(some);
  if (!at.form.is_affine()) at = e.values.varying(e.values.vector_of(at));
  e.services.record(at, index, values);
  b.CreateBr(on);
  b.SetInsertPoint(on);
}

}  // namespace xcuda::device::cpu
