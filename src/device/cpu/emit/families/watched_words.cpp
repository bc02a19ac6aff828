#include "device/cpu/emit/families/watched_words.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

using ptx::Space;

WatchedWords::WatchedWords(Emitter& e, const MemoryAccess& access, std::uint32_t site)
    : e_(e),
      b_(e.b),
      access_(access),
      number_(site),
      site_(e.services.site_at(site)),
      shared_(access.space == Space::shared),
      position_(shared_ ? access.offset : access.address),
      words_(site_.size / kWordBytes) {}

bool WatchedWords::can_be_marked() {
  const bool atomic = access_.instruction.is(ptx::Trait::atomic);
  const bool plain = access_.instruction.is(ptx::Trait::reads | ptx::Trait::writes);
  // Kernels whose blocks take turns, and accesses whose bounds are not checked, are left to the runtime.
  if (!e_.checked() || e_.plan.graph.yields || site_.synchronises || (!plain && !atomic)) return false;
  if (atomic && e_.plan.phases.exchanges) return false;
  if (!shared_ && (access_.space != Space::global || site_.slot < 0 || atomic)) return false;
  if (!e_.all_active() && !few_accesses()) return false;
  const std::uint32_t component = site_.size / std::max(site_.components, 1u);
  if (component != 4 && component != 8) return false;
  kind_ = atomic ? Access::atomic : site_.access;
  if (kind_ == Access::read && e_.all_active()) width_ = row_width(0);
  if (width_ > 0) {
    way_ = Way::common;
    return true;
  }
  width_ = row_width(static_cast<std::int64_t>(site_.size));
  if (kind_ != Access::atomic && width_ > 0 && (e_.all_active() || words_ == 1)) {
    way_ = Way::rows;
    return true;
  }
  way_ = Way::lanes;
  return e_.features.avx512 && words_ <= 2;
}

// Whether the kernel has few accesses: for unrolled loops the code for partial warps would only take time to compile.
bool WatchedWords::few_accesses() const {
  constexpr std::ptrdiff_t few = 16;
  const auto& all = e_.function.instructions;
  return std::count_if(all.begin(), all.end(), [](const ptx::Instruction& each) {
           return each.is(ptx::Trait::reads | ptx::Trait::writes) &&
                  (each.space == Space::shared || each.space == Space::global);
         }) <= few;
}

int WatchedWords::row_width(std::int64_t distance) {
  if (!position_.form.is_affine()) return 0;
  const Lanes& lanes = e_.plan.patterns.lanes(position_.form.pattern);
  for (int width = 32 / position_.form.groups; width >= 8; width /= 2) {
    bool all = true;
    for (int lane = 0; lane < 32; ++lane)
      if (lane % width != 0) all &= lanes[lane] - lanes[lane - 1] == distance;
    if (all) return width;
  }
  return 0;
}

Value* WatchedWords::first_position(int lane) {
  Value* base = e_.values.base_of(position_, lane * position_.form.groups / 32);
  const std::int64_t distance = e_.plan.patterns.lanes(position_.form.pattern)[static_cast<std::size_t>(lane)];
  return distance ? b_.CreateAdd(base, b_.getInt64(static_cast<std::uint64_t>(distance))) : base;
}

Value* WatchedWords::active_row(int first) {
  if (e_.all_active()) return nullptr;
  llvm::SmallVector<int, 32> order;
  for (int i = 0; i < width_; ++i) order.push_back(first + i);
  return b_.CreateShuffleVector(e_.masks.active(), order);
}

Value* WatchedWords::all(Value* conditions) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(conditions->getType());
  if (!vector) return conditions;
  auto* bits = b_.getIntNTy(vector->getNumElements());
  return b_.CreateICmpEQ(b_.CreateBitCast(conditions, bits), llvm::Constant::getAllOnesValue(bits));
}

}  // namespace xcuda::device::cpu
