// Emits the LLVM function of one kernel and block shape class, or of a device function: what all of its classes share,
// and the classes. Each family of opcodes has a file of its own in families/ and reaches the rest through this struct.
//
// Every block is emitted twice. In the converged clone all 32 lanes are on: no masks, no blends. In the divergent
// clone `exec` says which lanes are on. Blocks of some loops have code for one lane, too, or nothing else: see
// lane_loops.hpp. Blocks of one thread have the converged clone alone.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <span>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/emit/call_arguments.hpp"
#include "device/cpu/emit/callees.hpp"
#include "device/cpu/emit/lane_masks.hpp"
#include "device/cpu/emit/lane_queue.hpp"
#include "device/cpu/emit/lane_values.hpp"
#include "device/cpu/emit/launch_context.hpp"
#include "device/cpu/emit/line_table.hpp"
#include "device/cpu/emit/register_file.hpp"
#include "device/cpu/emit/save_area.hpp"
#include "device/cpu/emit/service_calls.hpp"
#include "device/cpu/emit/stack_slots.hpp"
#include "device/cpu/emit/votes.hpp"
#include "device/cpu/emit/warp_flow.hpp"
#include "device/cpu/plan/plan.hpp"
#include "device/cpu/plan/target_features.hpp"

namespace xcuda::device::cpu {

// The function that emits an opcode.
using Family = void (*)(Emitter&, const ptx::Instruction&);

struct EmitRequest {
  const ptx::Module& module;
  const ptx::Function& function;
  Plan& plan;
  Checks checks;
  TargetFeatures features;
  Family (*family_of)(ptx::Opcode);  // null: none
  llvm::Module& into;
  Callees& callees;
  KernelCode& code;            // facts about the kernel are filled in; device functions add to them
  LineTable* lines = nullptr;  // none: without the lines that the code comes from
};

// Builds before the end of a block that dominates what follows.
llvm::IRBuilder<> before_end(llvm::BasicBlock* block);

struct Emitter : EmitRequest {
  using Value = llvm::Value;

  explicit Emitter(const EmitRequest& request) : EmitRequest(request), b(request.into.getContext()) {}
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // Emits the function, named "kernel"; lower/refuse has taken all of it.
  void emit();
  void emit_function(llvm::Function* declared);

  bool checked() const { return checks.bounds; }
  bool recorded() const { return cpu::recorded(checks); }
  bool races_recorded() const { return checks.races; }
  bool initialisation_recorded() const { return checks.uninitialised; }
  bool converged() const { return clone != Clone::divergent; }  // or one lane is all there is
  bool one_thread() const { return plan.shape.one_thread(); }   // lane 0 is all there is, and all forms are uniform
  bool all_active() const { return converged() && !guarded; }

  std::span<const ptx::Operand> operands(const ptx::Instruction& of) const { return function.operands_of(of); }
  ptx::Index index_of(const ptx::Instruction& of) const {
    return static_cast<ptx::Index>(&of - function.instructions.data());
  }
  Place place(const ptx::Instruction& of) const;
  // Reports a form that lower/refuse takes and nothing emits, which is an error of this program.
  [[noreturn]] void not_refused(const ptx::Instruction& instruction) const;

  Value* at_entry(const std::function<Value*(llvm::IRBuilder<>&)>& make);  // at the start of the function
  llvm::BasicBlock* new_block(const char* name);
  // if (rarely) body
  llvm::BranchInst* cold_branch(Value* condition, const std::function<void()>& body, const char* name);
  void leave_kernel();                                   // ends the current block of code: returns Outcome::left
  CodePart part() const;                                 // of the clone
  void mark(const ptx::Instruction& with, CodePart of);  // what is emitted from here on is for this instruction

  const Graph& graph = plan.graph;
  llvm::IRBuilder<> b;

  // The function.
  llvm::Function* kernel = nullptr;
  Value *frame = nullptr, *launch = nullptr, *block_x = nullptr, *warp = nullptr;
  Value* parameter_table = nullptr;  // of a device function: where parameters and results are
  llvm::BasicBlock *entry = nullptr, *warp_head = nullptr, *warp_next = nullptr, *left = nullptr;

  // The place in it.
  Clone clone = Clone::converged;
  BlockIndex block = 0;
  const ptx::Instruction* instruction = nullptr;
  bool guarded = false;
  Value* exec = nullptr;  // i32, a bit per lane

  llvm::DenseSet<Value*> flushed;  // results of families' flush()

  // The classes.
  LaneValues values{*this};
  LaneMasks masks{*this};
  StackSlots slots{*this};
  RegisterFile registers{*this};
  LaunchContext context{*this};
  CallArguments arguments{*this};
  ServiceCalls services{*this};
  SaveArea saves{*this};
  LaneQueue queue{*this};
  Votes votes{*this};
  WarpFlow flow{*this};
};

}  // namespace xcuda::device::cpu
