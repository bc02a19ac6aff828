// Calls of the runtime for work that generated code cannot do itself, with the site that a message names.
#pragma once

#include <map>

#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/emit/lane_values.hpp"

namespace xcuda::device::cpu {

class ServiceCalls {
 public:
  using Value = llvm::Value;

  explicit ServiceCalls(Emitter& e) : e_(e) {}

  // Arguments are vectors or scalars of any integer type. The code leaves the kernel when the service says so.
  struct Served {
    Service service;
    Value* mask;
    std::uint32_t site;
    Value* chosen = nullptr;  // the site, where it is known at run time
  };
  Value* serve(const Served& what, std::span<Value* const> arguments);
  Value* call(Service service, std::span<Value* const> arguments, Value* mask, const ptx::Instruction& instruction);
  Value* call(Service service, std::span<Value* const> arguments, Value* mask, std::uint32_t site);
  Value* results(Value* call, llvm::Type* type);  // <32 x T> from a LaneCall

  // Checks addresses in full: members are pairs of site and distance; leaves the kernel at a fault.
  void check(const Held& at, llvm::ArrayRef<llvm::Constant*> members);
  // Likewise, first against a range in a function that all such checks of the code share: fewer instructions here, and
  // more to run. An address is inside if (address - base) rotated to the right by shift is below the limit.
  struct Inside {
    Value *base, *limit;  // i64
    unsigned shift;
  };
  void check_apart(const Held& at, const Inside& inside, llvm::ArrayRef<llvm::Constant*> members);
  // Tells the runtime of an access; values are what is stored.
  void record(const Held& at, std::uint32_t site, std::span<Value* const> values);
  // Marks a row; i32, not 0: that was all.
  Value* mark(const MarkedRow& row, Value* writes, Value* reads);

  std::uint32_t site(const ptx::Instruction& instruction);
  std::uint32_t new_site(const ptx::Instruction& instruction);  // where an instruction has more than one
  AccessSite& site_at(std::uint32_t index);
  int new_cache();  // of KernelCode::cached_ranges

 private:
  Value* lane_call();                     // the LaneCall of this function
  Value* lane_result(std::size_t index);  // where the LaneCall has it
  void call_lanes(const Held& at, llvm::ArrayRef<llvm::Constant*> members, std::size_t function);
  // What call_lanes() says of the addresses: groups of 1 << shift lanes, each at the pattern's distances from a number.
  llvm::Constant* accesses(std::uint32_t shift, Pattern pattern, llvm::ArrayRef<llvm::Constant*> members);
  llvm::Function* lane_check(unsigned shift);
  void leave_at_fault(llvm::CallInst* call);

  Emitter& e_;
  Value* lane_call_ = nullptr;
  std::map<ptx::Index, std::uint32_t> sites_;  // by instruction
};

}  // namespace xcuda::device::cpu
