#include "device/cpu/jit/checked_loops.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>
#include <optional>

#include "device/cpu/emit/bounds_mark.hpp"

namespace xcuda::device::cpu {

namespace {

using llvm::BasicBlock;
using llvm::Loop;
using llvm::ScalarEvolution;
using llvm::SCEV;
using llvm::Value;

constexpr unsigned kMostInstructions = 400;  // of a loop that is doubled
constexpr std::uint64_t kMostTurns = std::uint64_t{1} << 31;
constexpr std::uint64_t kLongestStep = std::uint64_t{1} << 30;  // bytes

// `offset` rotated to the right by `shift` is below `limit`: see emit_check.cpp.
struct Check {
  llvm::BranchInst* branch;
  const SCEV *first, *step;  // offset in the first turn, and by how much it changes in each; null: it does not
  std::uint64_t shift;
  Value* limit;
  unsigned inside;  // successor of the branch
};

struct Version {
  Loop* loop;
  const SCEV* turns;  // how often the loop goes back
  llvm::SmallVector<Check, 8> checks;
};

std::optional<Check> check_of(llvm::BranchInst& branch, const Loop& loop, ScalarEvolution& evolution) {
  auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (!test || !test->isUnsigned() || !loop.contains(test)) return std::nullopt;
  Value *varies = test->getOperand(0), *limit = test->getOperand(1);
  auto predicate = test->getPredicate();
  if (!loop.isLoopInvariant(limit)) {
    std::swap(varies, limit);
    predicate = test->getSwappedPredicate();
  }
  const bool strict = predicate == llvm::ICmpInst::ICMP_ULT || predicate == llvm::ICmpInst::ICMP_UGE;
  if (!strict || !loop.isLoopInvariant(limit)) return std::nullopt;
  Check check{&branch, nullptr, nullptr, 0, limit, predicate == llvm::ICmpInst::ICMP_ULT ? 0U : 1U};
  if (auto* rotated = llvm::dyn_cast<llvm::IntrinsicInst>(varies); rotated && loop.contains(rotated)) {
    const bool right = rotated->getIntrinsicID() == llvm::Intrinsic::fshr,
               left = rotated->getIntrinsicID() == llvm::Intrinsic::fshl;
    if ((!right && !left) || rotated->getArgOperand(0) != rotated->getArgOperand(1)) return std::nullopt;
    const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(rotated->getArgOperand(2));
    if (!amount) return std::nullopt;
    check.shift = right ? amount->getZExtValue() : 64 - amount->getZExtValue();
    if (check.shift > 6) return std::nullopt;
    varies = rotated->getArgOperand(0);
  }
  if (!varies->getType()->isIntegerTy(64)) return std::nullopt;
  const SCEV* offset = evolution.getSCEV(varies);
  check.first = offset;
  if (const auto* moves = llvm::dyn_cast<llvm::SCEVAddRecExpr>(offset)) {
    if (moves->getLoop() != &loop || !moves->isAffine()) return std::nullopt;
    check.first = moves->getStart();
    check.step = moves->getStepRecurrence(evolution);
    if (!evolution.isLoopInvariant(check.step, &loop)) return std::nullopt;
  }
  return evolution.isLoopInvariant(check.first, &loop) ? std::optional(check) : std::nullopt;
}

std::optional<Version> version_of(Loop& loop, ScalarEvolution& evolution) {
  BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  if (!preheader || !latch || !loop.hasDedicatedExits() || !loop.isLoopExiting(latch)) return std::nullopt;
  const SCEV* turns = evolution.getExitCount(&loop, latch);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(turns) || turns->getType()->getIntegerBitWidth() > 64) return std::nullopt;
  llvm::SCEVExpander expander(evolution, preheader->getDataLayout(), "turns");
  if (!expander.isSafeToExpandAt(turns, preheader->getTerminator())) return std::nullopt;
  Version version{&loop, turns, {}};
  unsigned instructions = 0;
  for (BasicBlock* block : loop.blocks()) {
    instructions += static_cast<unsigned>(block->size());
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !branch->getMetadata(kBoundsMark)) continue;
    const auto check = check_of(*branch, loop, evolution);
    if (!check || !expander.isSafeToExpandAt(check->first, preheader->getTerminator())) continue;
    if (!check->step || expander.isSafeToExpandAt(check->step, preheader->getTerminator()))
      version.checks.push_back(*check);
  }
  if (version.checks.empty() || instructions > kMostInstructions) return std::nullopt;
  return version;
}

// i1 before the loop: no check of the version can fail. Offsets move in one direction and by less than 2^62 bytes in
// all, so that those between the first and the last are inside if these are.
Value* all_inside(const Version& version, ScalarEvolution& evolution) {
  BasicBlock* preheader = version.loop->getLoopPreheader();
  llvm::SCEVExpander expander(evolution, preheader->getDataLayout(), "turns");
  llvm::Instruction* end = preheader->getTerminator();
  Value* turns = expander.expandCodeFor(version.turns, version.turns->getType(), end);
  llvm::IRBuilder<> b(end);
  turns = b.CreateZExt(turns, b.getInt64Ty());
  Value* inside = b.CreateICmpULT(turns, b.getInt64(kMostTurns));
  for (const Check& check : version.checks) {
    Value* first = expander.expandCodeFor(check.first, b.getInt64Ty(), end);
    auto test = [&](Value* offset) {
      if (check.shift)
        offset = b.CreateIntrinsic(llvm::Intrinsic::fshr, {b.getInt64Ty()}, {offset, offset, b.getInt64(check.shift)});
      inside = b.CreateAnd(inside, b.CreateICmpULT(offset, check.limit));
    };
    test(first);
    if (!check.step) continue;
    Value* step = expander.expandCodeFor(check.step, b.getInt64Ty(), end);
    Value* distance = b.CreateAdd(step, b.getInt64(kLongestStep));
    inside = b.CreateAnd(inside, b.CreateICmpULT(distance, b.getInt64(2 * kLongestStep)));
    const std::uint64_t unit = std::uint64_t{1} << check.shift;
    inside = b.CreateAnd(inside, b.CreateICmpEQ(b.CreateAnd(step, b.getInt64(unit - 1)), b.getInt64(0)));
    test(b.CreateAdd(first, b.CreateMul(turns, step)));
  }
  return inside;
}

// Other blocks use values of the loop through phi nodes of its exits only.
void add_version(const Version& version, Value* inside) {
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<BasicBlock*, 16> blocks;
  for (BasicBlock* block : version.loop->blocks()) {
    BasicBlock* copy = llvm::CloneBasicBlock(block, copies, ".inside", block->getParent());
    copies[block] = copy;
    blocks.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(blocks, copies);
  llvm::SmallVector<BasicBlock*, 4> exits;
  version.loop->getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits)
    for (llvm::PHINode& phi : exit->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
        Value* value = phi.getIncomingValue(i);
        const auto copy = copies.find(value);
        phi.addIncoming(copy == copies.end() ? value : static_cast<Value*>(copy->second),
                        llvm::cast<BasicBlock>(copies[phi.getIncomingBlock(i)]));
      }
  for (const Check& check : version.checks) {
    auto* branch = llvm::cast<llvm::BranchInst>(copies[check.branch]);
    branch->setCondition(llvm::ConstantInt::getBool(branch->getContext(), check.inside == 0));
  }
  BasicBlock* header = version.loop->getHeader();
  llvm::Instruction* end = version.loop->getLoopPreheader()->getTerminator();
  llvm::BranchInst::Create(llvm::cast<BasicBlock>(copies[header]), header, inside, end->getIterator());
  end->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses VersionCheckedLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  std::vector<std::pair<Version, Value*>> versions;
  for (Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost())
      if (auto version = version_of(*loop, evolution)) versions.emplace_back(std::move(*version), nullptr);
  for (auto& [version, inside] : versions) inside = all_inside(version, evolution);
  for (const auto& [version, inside] : versions) add_version(version, inside);
  return versions.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses WidenUnrolledLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (loop->getNumBlocks() != 1 || loop->getHeader()->getName().contains(".lver.orig")) continue;
    std::uint64_t turn = 0;  // bytes that an access moves on, where that is more than it accesses
    for (llvm::Instruction& instruction : *loop->getHeader()) {
      Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer) continue;
      const auto* moves = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(pointer));
      const auto* step = moves ? llvm::dyn_cast<llvm::SCEVConstant>(moves->getStepRecurrence(evolution)) : nullptr;
      if (!step || moves->getLoop() != loop) continue;
      const std::uint64_t bytes = llvm::getLoadStoreType(&instruction)->getPrimitiveSizeInBits() / 8;
      const std::uint64_t distance = step->getAPInt().abs().getZExtValue();
      if (distance > bytes && distance <= 4 * bytes) turn = std::max(turn, distance);
    }
    if (turn == 0) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    if (turn < vector_bytes)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", static_cast<unsigned>(vector_bytes / turn));
  }
  return llvm::PreservedAnalyses::all();
}

bool has_counted_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopLatch() && loop->isLoopExiting(loop->getLoopLatch())) return true;
  return false;
}

}  // namespace xcuda::device::cpu
