// Prefetches what a load in a loop will read in a later turn; see steps.hpp.
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr std::int64_t kLine = 64;         // bytes
constexpr std::uint64_t kTurnsAhead = 32;  // of grid-stride loops: as long as a line takes from memory

// The step in bytes, where all it depends on is uniform.
llvm::Value* distance_of(Emitter& e, const Step& step) {
  auto& b = e.b;
  llvm::Value* distance = b.getInt64(0);
  for (const Step::Part& part : step.parts) {
    llvm::Value* amount = b.getInt64(1);
    if (part.reg != ptx::kNoIndex) {
      const Held held = e.registers.read_register(part.reg);
      if (!held.uniform() || !held.parts[0]->getType()->isIntegerTy()) return nullptr;
      amount = b.CreateSExtOrTrunc(held.parts[0], b.getInt64Ty());
    }
    distance = b.CreateAdd(distance, b.CreateMul(amount, b.getInt64(static_cast<std::uint64_t>(part.factor))));
  }
  return distance;
}

enum class Into : std::uint32_t { second_level = 2, first_level = 3 };

// The lines that the lanes read which begin at `base`.
void bring(Emitter& e, const MemoryAccess& access, int group, llvm::Value* base, Into cache) {
  auto& b = e.b;
  const Lanes& lanes = e.plan.patterns.lanes(access.address.form.pattern);
  const int width = 32 / access.address.form.groups;
  const std::int64_t first = lanes[static_cast<unsigned>(group * width)],
                     last = lanes[static_cast<unsigned>(group * width + width - 1)];
  if (last < first || last - first > 8 * kLine) return;
  for (std::int64_t at = first; at <= last; at += kLine) {
    llvm::Value* pointer =
        b.CreateIntToPtr(b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(at))), b.getPtrTy());
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {pointer, b.getInt32(0), b.getInt32(static_cast<std::uint32_t>(cache)), b.getInt32(1)});
  }
}

}  // namespace

void emit_prefetch(Emitter& e, const MemoryAccess& access) {
  if (!e.converged() || access.space != ptx::Space::global || !access.address.form.is_affine()) return;
  const ptx::Operand* operand = accessed(e.function, access.instruction);
  if (const std::optional<Step> near = e.plan.steps.between_barriers.of(operand->reg, e.block)) {
    llvm::Value* distance = distance_of(e, *near);
    for (int group = 0; distance && group < access.address.form.groups; ++group)
      bring(e, access, group, e.b.CreateAdd(e.values.base_of(access.address, group), distance), Into::first_level);
    return;
  }
  if (access.bytes() < 4) return;  // bytes take longer to use than to fetch
  const std::optional<Step> far = e.plan.steps.of_grid.of_grid(operand->reg, e.block);
  if (!far || e.recorded() || access.address.form.groups > 1) return;
  const std::optional<ArrayBounds> array = bounds_of_array(e, access);
  llvm::Value* distance = array ? distance_of(e, *far) : nullptr;
  if (!distance) return;
  auto& b = e.b;
  llvm::Value* base = e.values.base_of(access.address, 0);
  llvm::Value* next = b.CreateAdd(base, b.CreateMul(distance, b.getInt64(kTurnsAhead)));
  llvm::Value* inside = b.CreateICmpULT(b.CreateSub(next, array->begin), array->size);  // else the loop ends before
  bring(e, access, 0, b.CreateSelect(inside, next, base), Into::second_level);
}

}  // namespace xcuda::device::cpu
