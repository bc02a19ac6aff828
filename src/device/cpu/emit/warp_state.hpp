// How the save area of a warp begins: where the warp goes on when it is resumed, and with which lanes.
#pragma once

#include <llvm/IR/MDBuilder.h>

#include <cstddef>
#include <cstdint>

#include "device/cpu/abi/kernel_abi.hpp"

namespace xcuda::device::cpu {

inline constexpr std::uint32_t state_done = WarpSave::done, state_many = WarpSave::many,
                               state_yielded = WarpSave::yielded;
inline constexpr std::uint32_t offset_state = offsetof(WarpSave, state), offset_mask = offsetof(WarpSave, mask),
                               offset_masks = offsetof(WarpSave, masks);
inline constexpr std::uint32_t all_lanes = 0xffff'ffff;

inline llvm::MDNode* mostly(llvm::LLVMContext& context) {
  return llvm::MDBuilder(context).createBranchWeights(2000, 1);
}

}  // namespace xcuda::device::cpu
