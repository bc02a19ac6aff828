// What a kernel knows of its launch, its block and its warp. Loaded where it is constant: once per function, block or
// warp.
#pragma once

#include <map>
#include <utility>

#include "device/cpu/emit/lane_values.hpp"
#include "device/cpu/plan/layout.hpp"

namespace xcuda::device::cpu {

class LaunchContext {
 public:
  using Value = llvm::Value;

  explicit LaunchContext(Emitter& e);

  Value* launch_word(std::size_t offset, llvm::Type* type);
  Value* frame_pointer(std::size_t offset);
  Value* bounds_word(std::size_t offset);  // i64 of LaunchAbi::bounds
  Value* parameters();
  Value* shared_base();  // i64
  Value* shared_size();  // i64
  std::uint32_t shared_offset(const ptx::Symbol& symbol) const { return shared_.offset(symbol); }
  std::uint32_t static_shared() const { return shared_.bytes; }
  int tile_words() const { return shared_.reserved_bytes ? static_cast<int>(shared_.reserved) : -1; }
  Value* local_base();                           // i64: of lane 0 of this warp
  Value* variable_address(ptx::Index variable);  // i64
  Held special(const ptx::Operand& operand);

  // For --race and --init: the AccessView, its facts about the launch, and the marks of an array.
  Value* view();
  Value* view_word(std::size_t offset);
  Value* marked_word(int slot, std::size_t offset);

 private:
  Value* tid(int dimension);

  Emitter& e_;
  SharedLayout shared_;
  std::map<std::pair<std::size_t, llvm::Type*>, Value*> words_;
  std::map<std::pair<int, int>, Value*> warp_values_;
};

}  // namespace xcuda::device::cpu
