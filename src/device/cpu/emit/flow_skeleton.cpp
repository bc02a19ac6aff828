// The skeleton of a kernel: loops over blocks and warps, and the two clones of each basic block. How they end is in
// flow_ends.cpp, what a warp does at a barrier in flow_barriers.cpp.
#include <algorithm>

#include "device/cpu/emit/bounds_mark.hpp"
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::device::cpu {

using llvm::BasicBlock;

// For the message when all threads of a block wait for ever.
void WarpFlow::find_wait_sites() {
  e_.code.wait_sites.assign(e_.graph.blocks.size(), kAllLanes);
  for (const FlowBlock& block : e_.graph.blocks) {
    if (block.after_yield)
      e_.code.wait_sites[static_cast<std::size_t>(&block - e_.graph.blocks.data())] =
          e_.services.site(e_.function.instructions[block.listens]);
    const bool barrier = block.ends == FlowBlock::End::barrier;
    if (block.next == kNoBlock || (!barrier && block.ends != FlowBlock::End::meet)) continue;
    const ptx::Index waits = !barrier ? block.end : block.arrives != ptx::kNoIndex ? block.arrives : block.end - 1;
    e_.code.wait_sites[block.next] = e_.services.site(e_.function.instructions[waits]);
  }
  e_.code.barrier_sites.push_back(kAllLanes);  // states count from 1
  for (const BlockIndex i : e_.graph.resumes)
    if (copies_[i].state == e_.code.barrier_sites.size()) e_.code.barrier_sites.push_back(e_.code.wait_sites[i]);
}

llvm::Function* WarpFlow::add_attributes(llvm::Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (e_.one_thread()) function->addFnAttr(kOneThreadMark);
  function->addFnAttr("probe-stack", "inline-asm");  // a stack that ends is met at its guard page, not beyond it
  function->addFnAttr("warn-stack-size", std::to_string(kMostStack));
  function->addFnAttr("prefer-vector-width", e_.features.avx512 ? "512" : "256");
  if (e_.features.avx512) function->addFnAttr("min-legal-vector-width", "512");
  return function;
}

void WarpFlow::emit_kernel() {
  make_skeleton();
  emit_blocks();
  emit_resumes();
  if (e_.plan.shared()) emit_dispatch();
  if (e_.code.waits_for != WaitsFor::anything) find_wait_sites();
}

void WarpFlow::emit_function(llvm::Function* declared) {
  make_function_skeleton(declared);
  emit_blocks();
  if (e_.plan.shared()) emit_dispatch();
}

void WarpFlow::make_copies() {
  if (e_.plan.shared()) make_dispatch();
  copies_.resize(e_.graph.blocks.size());
  std::vector<Value*> masks(e_.graph.blocks.size());
  for (BlockIndex i = 0; i < e_.graph.blocks.size(); ++i) {
    if (!e_.plan.reached[i]) continue;
    copies_[i].converged = e_.new_block("converged");
    if (e_.one_thread()) continue;
    copies_[i].divergent = e_.new_block("divergent");
    if (e_.plan.shared()) continue;
    Value*& mask = masks[e_.plan.masks[i]];
    if (!mask) mask = e_.slots.scratch(e_.b.getInt32Ty(), "pending");
    copies_[i].pending = mask;
    if (e_.graph.meetings.contains(i)) copies_[i].waiting = e_.slots.scratch(e_.b.getInt32Ty(), "waiting");
  }
}

void WarpFlow::make_skeleton() {
  auto* pointer = e_.b.getPtrTy();
  auto* i32 = e_.b.getInt32Ty();
  auto* type = llvm::FunctionType::get(i32, {pointer, i32, i32}, false);
  e_.kernel = add_attributes(llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", e_.into));
  e_.frame = e_.kernel->getArg(0);
  e_.frame->setName("frame");
  if (e_.lines) e_.lines->begin(e_.kernel);

  e_.entry = e_.new_block("entry");
  block_head_ = e_.new_block("block");
  BasicBlock *block_test = e_.new_block("next_block"), *finished = e_.new_block("finished"),
             *block_next = e_.new_block("block_done");
  e_.warp_head = e_.new_block("warp");
  e_.warp_next = e_.new_block("next_warp");
  e_.left = e_.new_block("left");

  e_.b.SetInsertPoint(e_.entry);
  Value* x_slot = e_.b.CreateAlloca(i32, nullptr, "x");
  Value* warp_slot = e_.b.CreateAlloca(i32, nullptr, "warp_index");
  Value* fresh_slot = e_.b.CreateAlloca(e_.b.getInt1Ty(), nullptr, "fresh");
  warps_waiting_ = e_.b.CreateAlloca(e_.b.getInt1Ty(), nullptr, "warps_waiting");
  e_.registers.make();
  e_.launch = e_.context.frame_pointer(offsetof(BlockFrame, launch));
  e_.b.CreateStore(e_.kernel->getArg(1), x_slot);
  e_.b.CreateBr(block_test);
  Value* warps = e_.context.launch_word(offsetof(LaunchAbi, warps), i32);
  Value* last_mask = e_.context.launch_word(offsetof(LaunchAbi, last_mask), i32);

  e_.b.SetInsertPoint(block_test);
  e_.block_x = e_.b.CreateLoad(i32, x_slot, "block_x");
  e_.b.CreateCondBr(e_.b.CreateICmpULT(e_.block_x, e_.kernel->getArg(2)), block_head_, finished);
  e_.b.SetInsertPoint(finished);
  e_.b.CreateRet(e_.b.getInt32(static_cast<std::uint32_t>(Outcome::finished)));
  e_.b.SetInsertPoint(e_.left);
  e_.b.CreateRet(e_.b.getInt32(static_cast<std::uint32_t>(Outcome::left)));

  e_.b.SetInsertPoint(block_head_);
  e_.b.CreateStore(e_.block_x,
                   e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.frame, offsetof(BlockFrame, block_index)));
  e_.b.CreateStore(e_.b.getInt32(0), warp_slot);
  Value* fresh_start = e_.b.getTrue();
  if (e_.graph.yields) {
    warps_yielded_ = e_.slots.scratch(i32, "warps_yielded");  // in rounds
    turns_ = e_.slots.scratch(i32, "turns");
    release_ = e_.slots.scratch(e_.b.getInt1Ty(), "release");
    e_.b.CreateStore(e_.b.getInt32(0), warps_yielded_);
    e_.b.CreateStore(e_.b.getInt32(0), turns_);
    e_.b.CreateStore(e_.b.getFalse(), release_);
    auto* resumed = e_.b.CreateAlignedLoad(
        i32, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.frame, offsetof(BlockFrame, resume)), llvm::Align(4));
    fresh_start = e_.b.CreateICmpEQ(resumed, e_.b.getInt32(0));
    e_.b.CreateAlignedStore(e_.b.getInt32(0), resumed->getPointerOperand(), llvm::Align(4));
  }
  e_.b.CreateStore(fresh_start, fresh_slot);
  e_.b.CreateStore(e_.b.getFalse(), warps_waiting_);
  if (e_.votes.reduces()) {
    BasicBlock *clear = e_.new_block("clear_votes"), *cleared = e_.new_block("votes_cleared");
    e_.b.CreateCondBr(fresh_start, clear, cleared);
    e_.b.SetInsertPoint(clear);
    for (std::size_t i = 0; i < 2; ++i) e_.b.CreateStore(e_.b.getInt32(0), e_.votes.slot(i));
    e_.b.CreateBr(cleared);
    e_.b.SetInsertPoint(cleared);
  }
  record_phase();
  e_.b.CreateBr(e_.warp_head);

  e_.b.SetInsertPoint(e_.warp_next);
  Value* next = e_.b.CreateAdd(e_.b.CreateLoad(i32, warp_slot), e_.b.getInt32(1));
  e_.b.CreateStore(next, warp_slot);
  BasicBlock* round = e_.graph.barriers() ? e_.new_block("round") : block_next;
  if (e_.one_thread())
    e_.b.CreateBr(round);
  else
    e_.b.CreateCondBr(e_.b.CreateICmpULT(next, warps), e_.warp_head, round);
  if (e_.graph.barriers()) {  // all warps have come to a barrier or left: those that wait go on
    e_.b.SetInsertPoint(round);
    Value* again = e_.b.CreateLoad(e_.b.getInt1Ty(), warps_waiting_);
    e_.b.CreateStore(e_.b.getInt32(0), warp_slot);
    e_.b.CreateStore(e_.b.getFalse(), fresh_slot);
    e_.b.CreateStore(e_.b.getFalse(), warps_waiting_);
    if (e_.graph.yields) again = end_round(again);
    if (e_.votes.reduces()) {
      Value* release =
          e_.graph.yields ? static_cast<Value*>(e_.b.CreateLoad(e_.b.getInt1Ty(), release_)) : e_.b.getTrue();
      for (std::size_t i = 0; i < 2; ++i) {  // what arrived is the result until the next barrier
        Value* arrived = e_.b.CreateLoad(i32, e_.votes.slot(i));
        e_.b.CreateStore(e_.b.CreateSelect(release, arrived, e_.b.CreateLoad(i32, e_.votes.slot(2 + i))),
                         e_.votes.slot(2 + i));
        e_.b.CreateStore(e_.b.CreateSelect(release, e_.b.getInt32(0), arrived), e_.votes.slot(i));
      }
    }
    BasicBlock* go_on = e_.new_block("next_round");
    e_.b.CreateCondBr(again, go_on, block_next);
    e_.b.SetInsertPoint(go_on);
    record_phase();
    e_.b.CreateBr(e_.warp_head);
  }
  e_.b.SetInsertPoint(block_next);
  e_.b.CreateStore(e_.b.CreateAdd(e_.block_x, e_.b.getInt32(1)), x_slot);
  e_.b.CreateBr(block_test);

  e_.b.SetInsertPoint(e_.warp_head);
  e_.warp = e_.one_thread() ? static_cast<Value*>(e_.b.getInt32(0)) : e_.b.CreateLoad(i32, warp_slot, "warp");
  BasicBlock* start = e_.new_block("start");
  make_copies();
  if (e_.graph.barriers()) {
    Value* saves = e_.at_entry([&](auto& b) {
      return b.CreateAlignedLoad(
          pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), e_.frame, offsetof(BlockFrame, saves)), llvm::Align(8));
    });
    e_.saves.locate(e_.b.CreateInBoundsGEP(
        e_.b.getInt8Ty(), saves,
        e_.b.CreateMul(e_.b.CreateZExt(e_.warp, e_.b.getInt64Ty()), e_.b.getInt64(e_.code.save_bytes))));
    Value* fresh = e_.b.CreateLoad(e_.b.getInt1Ty(), fresh_slot);
    Value* state = e_.b.CreateSelect(fresh, e_.b.getInt32(0), e_.b.CreateLoad(i32, e_.saves.slot(kOffsetState)));
    if (e_.graph.yields) {  // warps that are at a barrier stay there until it is complete
      BasicBlock *held = e_.new_block("held"), *go = e_.new_block("go");
      Value* at_barrier = e_.b.CreateAnd(e_.b.CreateICmpULT(state, e_.b.getInt32(kStateYielded)),
                                         e_.b.CreateICmpNE(state, e_.b.getInt32(0)));
      at_barrier = e_.b.CreateOr(at_barrier, e_.b.CreateICmpEQ(state, e_.b.getInt32(kStateMany)));
      e_.b.CreateCondBr(e_.b.CreateAnd(at_barrier, e_.b.CreateNot(e_.b.CreateLoad(e_.b.getInt1Ty(), release_))), held,
                        go);
      e_.b.SetInsertPoint(held);
      e_.b.CreateStore(e_.b.getTrue(), warps_waiting_);
      e_.b.CreateBr(e_.warp_next);
      e_.b.SetInsertPoint(go);
    }
    auto* dispatch = e_.b.CreateSwitch(state, start);
    dispatch->addCase(e_.b.getInt32(kStateDone), e_.warp_next);
    std::uint32_t number = 0;
    for (BlockIndex i : e_.graph.resumes) {
      if (!e_.plan.reached[i] || copies_[i].resume) continue;
      copies_[i].resume = e_.new_block("resume");
      if (!copies_[i].waiting && !e_.plan.shared()) copies_[i].waiting = e_.slots.scratch(i32, "waiting");
      copies_[i].state = ++number;
      dispatch->addCase(e_.b.getInt32(number), copies_[i].resume);
    }
    if (!e_.plan.together.empty() || e_.plan.shared()) {
      many_ = e_.new_block("resume_many");
      dispatch->addCase(e_.b.getInt32(kStateMany), many_);
      if (e_.graph.yields) {
        yielded_ = e_.new_block("resume_yielded");
        dispatch->addCase(e_.b.getInt32(kStateYielded), yielded_);
      }
    }
  } else {
    e_.b.CreateBr(start);
  }

  e_.b.SetInsertPoint(start);
  if (e_.one_thread()) return start_lanes(e_.b.getInt32(1));
  if (e_.plan.shape.full_warps) return start_lanes(e_.b.getInt32(kAllLanes));
  Value* last = e_.b.CreateICmpEQ(e_.b.CreateAdd(e_.warp, e_.b.getInt32(1)), warps);
  start_lanes(e_.b.CreateSelect(last, last_mask, e_.b.getInt32(kAllLanes)));
}

// Begins at the first block.
void WarpFlow::start_lanes(Value* mask) {
  llvm::LLVMContext& context = e_.b.getContext();
  e_.registers.clear(e_.graph.live[0]);  // read before written: nothing is promised, but it must be some value
  if (e_.one_thread()) {
    e_.b.CreateBr(copies_[0].converged);
    return;
  }
  if (e_.plan.shared())
    e_.queue.start();
  else
    e_.b.CreateStore(mask, copies_[0].pending);
  BasicBlock* partial = e_.new_block("partial_warp");
  e_.b.CreateCondBr(e_.b.CreateICmpEQ(mask, e_.b.getInt32(kAllLanes)), copies_[0].converged, partial, mostly(context));
  e_.b.SetInsertPoint(partial);
  if (e_.plan.shared()) return enter_shared(0, mask);
  enter(0, BitSet(e_.graph.blocks.size()), BitSet(e_.graph.blocks.size()));
}

void WarpFlow::make_function_skeleton(llvm::Function* into) {
  auto* i32 = e_.b.getInt32Ty();
  e_.kernel = add_attributes(into);
  if (e_.lines) e_.lines->begin(e_.kernel);
  e_.frame = e_.kernel->getArg(0);
  e_.parameter_table = e_.kernel->getArg(1);
  e_.warp = e_.kernel->getArg(3);
  e_.entry = e_.new_block("entry");
  e_.warp_head = e_.new_block("warp");
  e_.warp_next = e_.new_block("return");
  e_.left = e_.new_block("left");
  e_.b.SetInsertPoint(e_.entry);
  e_.registers.make();
  e_.launch = e_.context.frame_pointer(offsetof(BlockFrame, launch));
  e_.block_x = e_.b.CreateLoad(
      i32, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.frame, offsetof(BlockFrame, block_index)));
  e_.b.CreateBr(e_.warp_head);
  e_.b.SetInsertPoint(e_.warp_next);
  e_.b.CreateRet(e_.b.getInt32(0));
  e_.b.SetInsertPoint(e_.left);
  e_.b.CreateRet(e_.b.getInt32(1));

  llvm::BasicBlock* start = e_.new_block("start");
  e_.b.SetInsertPoint(e_.warp_head);
  make_copies();
  e_.b.CreateBr(start);
  e_.b.SetInsertPoint(start);
  if (!e_.function.instructions.empty()) {
    e_.exec = e_.kernel->getArg(2);
    Value* here = e_.b.CreateIntrinsic(llvm::Intrinsic::frameaddress, {e_.b.getPtrTy()}, {e_.b.getInt32(0)});
    Value* limit =
        e_.b.CreateLoad(e_.b.getInt64Ty(),
                        e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.frame, offsetof(BlockFrame, stack_limit)));
    Value* over = e_.b.CreateICmpULT(e_.b.CreatePtrToInt(here, e_.b.getInt64Ty()), limit);
    e_.cold_branch(
        over, [&] { e_.services.call(Service::stack_overflow, {}, e_.exec, e_.function.instructions[0]); },
        "stack_overflow");
  }
  start_lanes(e_.kernel->getArg(2));
}

}  // namespace xcuda::device::cpu
