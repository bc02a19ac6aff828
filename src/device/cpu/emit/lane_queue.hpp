// Where the lanes of a warp that diverged are, in memory: for Dispatch::shared. See LaneQueueSave in kernel_abi.hpp.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "device/cpu/plan/flow_graph.hpp"

namespace xcuda::device::cpu {

struct Emitter;

class LaneQueue {
 public:
  using Value = llvm::Value;
  enum class Set : std::uint8_t { running, ready, met, held, gave, asked };

  explicit LaneQueue(Emitter& e) : e_(e) {}

  void start();  // no lane is anywhere
  Value* lanes(Set set);
  void assign(Set set, Value* mask);
  // Adds lanes that go on at the block once they leave the set.
  void add(Set set, Value* mask, BlockIndex next);
  Value* next();                         // <32 x i32>
  void name(Value* mask, Value* named);  // the lanes that those at a meeting wait for: <32 x i32>
  Value* named();

 private:
  Value* field(std::size_t offset);
  Value* vector(std::size_t offset);
  void assign(std::size_t offset, Value* mask, Value* values);

  Emitter& e_;
  Value* own_ = nullptr;  // used without a save area
};

}  // namespace xcuda::device::cpu
