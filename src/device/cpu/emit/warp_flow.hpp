// Control flow: loops over blocks and warps, the two clones of each basic block, and which of the lanes that diverged
// run next. How blocks end is in flow_ends.cpp, what a warp does at a barrier in flow_barriers.cpp, where lanes wait
// for lanes of their warp in flow_meetings.cpp, where they give way in flow_yields.cpp, code for one lane in
// flow_lanes.cpp.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <optional>
#include <vector>

#include "device/cpu/emit/lane_queue.hpp"
#include "device/cpu/emit/register_file.hpp"
#include "device/cpu/plan/plan.hpp"

namespace xcuda::device::cpu {

class WarpFlow {
 public:
  using Value = llvm::Value;

  explicit WarpFlow(Emitter& e) : e_(e) {}

  void emit_kernel();
  void emit_function(llvm::Function* into);

  llvm::Function* add_attributes(llvm::Function* function);  // those of all functions

 private:
  struct Copies {  // of one block
    llvm::BasicBlock* converged = nullptr;
    llvm::BasicBlock* divergent = nullptr;  // takes exec from pending
    Value* pending = nullptr;               // i32 slot: lanes that wait to run it
    Value* waiting = nullptr;               // i32 slot: lanes that wait at the barrier before it
    llvm::BasicBlock* suspend = nullptr;    // at a barrier before it: saves registers
    llvm::BasicBlock* resume = nullptr;     // reloads them, then goes to one of the clones
    std::uint32_t state = 0;
  };

  void make_skeleton();
  void make_function_skeleton(llvm::Function* into);
  void make_copies();
  void start_lanes(Value* mask);
  void find_wait_sites();

  void emit_blocks();
  void emit_clone(BlockIndex index, Clone clone);
  void emit_body(const FlowBlock& block);
  void emit_instruction(const ptx::Instruction& instruction);
  void record_order(const ptx::Instruction& instruction);

  void end_converged(const FlowBlock& block);
  void end_divergent(BlockIndex index, const FlowBlock& block);
  void add_pending(BlockIndex from, BlockIndex to, Value* mask);
  BitSet add_waiting(BlockIndex from, BlockIndex to);
  void enter(BlockIndex to, const BitSet& held, const BitSet& waiting);
  void try_enter(BlockIndex to, const BitSet& held, const BitSet& waiting);
  void run_first_of(const std::vector<BlockIndex>& candidates, const BitSet& held, const BitSet& waiting);
  void run_first_or_wait(const BitSet& held, const BitSet& waiting);
  void finish_warp();

  BitSet let_go(const BitSet& pending, const BitSet& waiting, std::optional<BlockIndex> arrived);
  Value* blocked_lanes(BlockIndex meeting, Value* others);
  Value* waiting_in(const BitSet& blocks);
  void check_meetings(const BitSet& waiting, Value* in_vain);

  void make_dispatch();
  void go_shared(BlockIndex from, BlockIndex to);
  bool first_after(BlockIndex from, BlockIndex to) const;
  void add_ready(BlockIndex to, Value* mask);
  void enter_shared(BlockIndex to, Value* mask);
  void part_shared(BlockIndex from, const FlowBlock& block, Value* taken, Value* next);
  void end_shared(BlockIndex index, const FlowBlock& block);
  void converge_shared(BlockIndex index);
  void resume_shared(LaneQueue::Set set);
  void emit_dispatch();
  void check_shared(Value* met, Value* gave_way);

  void record_arrival(const FlowBlock& block);
  void record_phase();
  void suspend(BlockIndex next, Value* mask);
  void suspend_all(const BitSet& waiting);
  void emit_resumes();

  llvm::BasicBlock* converged_of(BlockIndex block);
  llvm::BasicBlock* yield_test(const FlowBlock& block, llvm::BasicBlock* on);
  Value* end_round(Value* waiting);
  void emit_yielded_resume();

  struct OneLane {  // while its code is emitted
    std::vector<RegisterFile::Slots> registers;
    std::vector<RegisterForm> forms;
    std::vector<llvm::BasicBlock*> blocks;  // null: outside the loop
    std::map<BlockIndex, llvm::BasicBlock*> exits;
  };
  void emit_lane_loop(const LaneLoop& loop);
  void emit_one_lane(const LaneLoop& loop, OneLane& one);

  Emitter& e_;
  std::vector<Copies> copies_;
  llvm::BasicBlock *block_head_ = nullptr, *many_ = nullptr, *yielded_ = nullptr;
  llvm::BasicBlock *dispatch_ = nullptr, *settle_ = nullptr;  // of Dispatch::shared: see flow_shared.cpp
  BitSet dispatched_;                                         // blocks that it goes to
  Value* warps_waiting_ = nullptr;
  Value *warps_yielded_ = nullptr, *turns_ = nullptr, *release_ = nullptr;  // where the graph has yields
};

}  // namespace xcuda::device::cpu
