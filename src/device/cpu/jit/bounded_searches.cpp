// Searches of LLVM that take the square of the size of a kernel, bounded: the linker leads its calls here (--wrap, see
// CMakeLists.txt).
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/DomConditionCache.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/CodeGen/MachineConstantPool.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#define XCUDA_REGISTER "_ZN4llvm17DomConditionCache14registerBranchEPNS_10BranchInstE"
#define XCUDA_POOL "_ZN4llvm19MachineConstantPool20getConstantPoolIndexEPKNS_8ConstantENS_5AlignE"

namespace llvm {
void register_by_llvm(DomConditionCache* conditions, BranchInst* branch) asm("__real_" XCUDA_REGISTER);
void register_branch(DomConditionCache* conditions, BranchInst* branch) asm("__wrap_" XCUDA_REGISTER);
unsigned index_by_llvm(MachineConstantPool* pool, const Constant* constant, Align alignment) asm("__real_" XCUDA_POOL);
unsigned constant_index(MachineConstantPool* pool, const Constant* constant, Align alignment) asm("__wrap_" XCUDA_POOL);
}  // namespace llvm

namespace {

// Branches that simplifying a value looks at; a mask of lanes decides thousands of them.
constexpr std::size_t kMostConditions = 64;

// Where the constants of a function's pool are. LLVM compares a new one with all of them, also with the bits of those
// of other types.
class PoolIndex {
 public:
  // Nothing where LLVM has more to do than to append the constant.
  std::optional<unsigned> of(llvm::MachineConstantPool& pool, const llvm::Constant* constant, llvm::Align alignment) {
    using Entries = std::vector<llvm::MachineConstantPoolEntry>;
    // The pool offers no other way to append.
    auto& entries = const_cast<Entries&>(pool.getConstants());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (entries.size() < kFewest || alignment > pool.getConstantPoolAlign()) return std::nullopt;
    if (pool_ != &pool || entries.size() < seen_) {
      pool_ = &pool;
      seen_ = 0;
      places_.clear();
    }
    for (; seen_ < entries.size(); ++seen_)
      if (!entries[seen_].isMachineConstantPoolEntry()) places_.try_emplace(entries[seen_].Val.ConstVal, seen_);
    const auto [place, added] = places_.try_emplace(constant, seen_);
    if (added) {
      entries.emplace_back(constant, alignment);
      ++seen_;
    }
    auto& entry = entries[place->second];
    if (entry.isMachineConstantPoolEntry() || entry.Val.ConstVal != constant) {  // of an earlier pool at this address
      pool_ = nullptr;
      return std::nullopt;
    }
    entry.Alignment = std::max(entry.Alignment, alignment);
    return place->second;
  }

 private:
  static constexpr std::size_t kFewest = 64;
  const llvm::MachineConstantPool* pool_ = nullptr;
  unsigned seen_ = 0;  // entries that places_ holds
  llvm::DenseMap<const llvm::Constant*, unsigned> places_;
};

}  // namespace

void llvm::register_branch(DomConditionCache* conditions, BranchInst* branch) {
  bool has_room = true;
  findValuesAffectedByCondition(branch->getCondition(), false, [&](const Value* value) {
    has_room &= conditions->conditionsFor(value).size() < kMostConditions;
  });
  if (has_room) register_by_llvm(conditions, branch);
}

unsigned llvm::constant_index(MachineConstantPool* pool, const Constant* constant, Align alignment) {
  thread_local PoolIndex index;
  const auto found = index.of(*pool, constant, alignment);
  return found ? *found : index_by_llvm(pool, constant, alignment);
}
