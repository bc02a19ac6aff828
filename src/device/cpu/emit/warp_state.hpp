// How the save area of a warp begins: where the warp goes on when it is resumed, and with which lanes.
#pragma once

#include <llvm/IR/MDBuilder.h>

#include <cstddef>
#include <cstdint>

#include "device/cpu/abi/kernel_abi.hpp"

namespace xcuda::device::cpu {

inline constexpr std::uint32_t kStateDone = WarpSave::kDone, kStateMany = WarpSave::kMany,
                               kStateYielded = WarpSave::kYielded;
inline constexpr std::uint32_t kOffsetState = offsetof(WarpSave, state), kOffsetMask = offsetof(WarpSave, mask),
                               kOffsetMasks = offsetof(WarpSave, masks);
inline constexpr std::uint32_t kAllLanes = 0xffff'ffff;

inline llvm::MDNode* mostly(llvm::LLVMContext& context) {
  return llvm::MDBuilder(context).createBranchWeights(2000, 1);
}

}  // namespace xcuda::device::cpu
