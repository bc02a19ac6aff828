// The words that an access of --race or --init touches, where generated code can mark them without the runtime.
#pragma once

#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

class WatchedWords {
 public:
  WatchedWords(Emitter& e, const MemoryAccess& access, std::uint32_t site);

  // Whether there is code for the access; else the runtime is told of each access.
  bool can_be_marked();

 protected:
  // common: all lanes of a row touch the same words; rows: words lie side by side; lanes: they are anywhere.
  enum class Way : std::uint8_t { common, rows, lanes };

  // Rows of so many lanes whose accesses are this far from one another; 0: there are none.
  int row_width(std::int64_t distance);
  Value* first_position(int lane);
  Value* active_row(int first);  // which of the row's lanes are on; null: all of them
  Value* all(Value* conditions);

  static constexpr std::uint32_t kWordBytes = 4;
  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const MemoryAccess& access_;
  std::uint32_t number_;
  const AccessSite site_;
  bool shared_;
  Held position_;
  std::uint32_t words_;  // of a lane
  Access kind_ = Access::read;
  Way way_ = Way::lanes;
  int width_ = 0;

 private:
  bool few_accesses() const;
};

// For --init: goes on if the words read were written, else to `slow`.
void emit_stamps(const WatchedWords& words, llvm::BasicBlock* slow);

}  // namespace xcuda::device::cpu
