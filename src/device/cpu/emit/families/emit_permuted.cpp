// The permuted form: addresses such as s[threadIdx.x ^ j]. The lanes of a warp then access 32 elements that lie side by
// side, so that vectors are loaded and stored whole, and their lanes change places in registers.
#include <llvm/IR/IntrinsicsX86.h>

#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

bool is_permutation(const MemoryAccess& access) {
  return access.address.form.is_permuted() && access.components == 1 && access.size == 4 &&
         access.address.form.scale == 4;
}

namespace {

// The accesses of a warp, one vector register at a time. Lanes of group g find their elements in the group g ^ (low /
// width), where lane i has the place i ^ (low % width); and the other way round.
struct Permutation {
  Emitter& e;
  int width;
  Value *base, *low, *order;

  Permutation(Emitter& emitter, const MemoryAccess& access)
      : e(emitter),
        width(emitter.features.avx512 ? 16 : 8),
        base(access.address.parts[0]),
        low(access.address.parts[1]) {
    auto& b = e.b;
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (int i = 0; i < width; ++i) numbers.push_back(b.getInt32(static_cast<std::uint32_t>(i)));
    auto* inside = b.CreateAnd(low, b.getInt32(static_cast<std::uint32_t>(width - 1)));
    order = b.CreateXor(llvm::ConstantVector::get(numbers), b.CreateVectorSplat(static_cast<unsigned>(width), inside));
  }

  Value* address(int group) const {
    auto& b = e.b;
    Value* other = b.CreateXor(b.CreateUDiv(low, b.getInt32(static_cast<std::uint32_t>(width))),
                               b.getInt32(static_cast<std::uint32_t>(group)));
    Value* bytes = b.CreateMul(b.CreateZExt(other, b.getInt64Ty()), b.getInt64(4 * static_cast<std::uint64_t>(width)));
    return b.CreateIntToPtr(b.CreateAdd(base, bytes), b.getPtrTy());
  }
  Value* permuted(Value* words) const {  // 32-bit integers
    if (width == 16) return e.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_si_512, {}, {words, order});
    return e.b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {words, order});
  }
  Value* part(Value* vector, int group) const {
    llvm::SmallVector<int, 16> lanes;
    for (int i = 0; i < width; ++i) lanes.push_back(group * width + i);
    return e.b.CreateShuffleVector(vector, lanes);
  }
  llvm::VectorType* words() const { return llvm::cast<llvm::VectorType>(e.values.lanes(e.b.getInt32Ty(), width)); }
  // Which of a group's elements lanes want that are on.
  Value* wanted(int group) const {
    auto& b = e.b;
    return b.CreateICmpSLT(permuted(b.CreateSExt(part(e.masks.active(), group), words())),
                           llvm::Constant::getNullValue(words()));
  }
};

}  // namespace

Value* load_permuted(Emitter& e, const MemoryAccess& access, Type* type) {
  auto& b = e.b;
  const Permutation permutation(e, access);
  llvm::SmallVector<Value*, 4> groups;
  for (int group = 0; group < 32 / permutation.width; ++group) {
    Value* at = permutation.address(group);
    Value* loaded =
        e.all_active() ? static_cast<Value*>(b.CreateAlignedLoad(permutation.words(), at, Align(1), access.is_volatile))
                       : load_masked(e, access, permutation.words(), {at, permutation.wanted(group)});
    groups.push_back(permutation.permuted(loaded));
  }
  while (groups.size() > 1) {
    llvm::SmallVector<Value*, 4> joined;
    for (std::size_t i = 0; i < groups.size(); i += 2) {
      const auto count = llvm::cast<llvm::FixedVectorType>(groups[i]->getType())->getNumElements();
      llvm::SmallVector<int, 32> order;
      for (unsigned k = 0; k < 2 * count; ++k) order.push_back(static_cast<int>(k));
      joined.push_back(b.CreateShuffleVector(groups[i], groups[i + 1], order));
    }
    groups = joined;
  }
  return b.CreateBitCast(groups[0], e.values.lanes(type));
}

void store_permuted(Emitter& e, const MemoryAccess& access, Value* value) {
  auto& b = e.b;
  const Permutation permutation(e, access);
  value = b.CreateBitCast(value, e.values.lanes(b.getInt32Ty()));
  for (int group = 0; group < 32 / permutation.width; ++group) {
    Value* at = permutation.address(group);
    Value* words = permutation.permuted(permutation.part(value, group));
    if (e.all_active())
      b.CreateAlignedStore(words, at, Align(1), access.is_volatile);
    else
      store_masked(e, access, words, {at, permutation.wanted(group)});
  }
}

}  // namespace xcuda::device::cpu
