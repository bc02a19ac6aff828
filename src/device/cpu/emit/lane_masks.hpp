// Which lanes are on.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

namespace xcuda::device::cpu {

struct Emitter;

class LaneMasks {
 public:
  using Value = llvm::Value;

  explicit LaneMasks(Emitter& e) : e_(e) {}

  Value* exec_vector(int bits = 32);  // <32 x i1>: the lanes that run this code; see LaneValues::to_vector()
  Value* active();       // <32 x i1>: those of exec_vector() that pass the guard of the current instruction
  Value* active_mask();  // as i32

  // Calls `body` once per lane of the mask in lane order with the lane number (i32); for code that does not vectorise.
  void each_lane(Value* mask, const std::function<void(Value* lane)>& body);

  // The carry of add.cc and its kin: <32 x i1>.
  Value* carry();
  void set_carry(Value* carry);

 private:
  Emitter& e_;
  Value* carry_ = nullptr;
};

}  // namespace xcuda::device::cpu
