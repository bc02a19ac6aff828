// How the save area of a warp begins: where the warp goes on when it is resumed, and with which lanes.
#pragma once

#include <llvm/IR/MDBuilder.h>

#include <cstdint>

namespace xcuda::device::cpu {

inline constexpr std::uint32_t state_done = 0xffff'ffff;
inline constexpr std::uint32_t state_many = 0xffff'fffe;     // lanes of the warp wait for different blocks
inline constexpr std::uint32_t state_yielded = 0xffff'fffd;  // some of them gave way
inline constexpr std::uint32_t offset_state = 0, offset_mask = 4, offset_masks = 8;  // in the save area of a warp
inline constexpr std::uint32_t all_lanes = 0xffff'ffff;

inline llvm::MDNode* mostly(llvm::LLVMContext& context) {
  return llvm::MDBuilder(context).createBranchWeights(2000, 1);
}

}  // namespace xcuda::device::cpu
