#include "device/cuda/driver_fault.hpp"

namespace xcuda::device::cuda {

FaultKind fault_kind(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE: return FaultKind::illegal_address;
    case CUDA_ERROR_MISALIGNED_ADDRESS: return FaultKind::misaligned_address;
    case CUDA_ERROR_HARDWARE_STACK_ERROR: return FaultKind::stack_overflow;
    case CUDA_ERROR_ASSERT: return FaultKind::assertion;
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC: return FaultKind::illegal_instruction;
    case CUDA_ERROR_LAUNCH_FAILED: return FaultKind::trap;
    case CUDA_ERROR_LAUNCH_TIMEOUT: return FaultKind::time_limit;
    case CUDA_ERROR_OUT_OF_MEMORY: return FaultKind::out_of_memory;
    default: return FaultKind::other;
  }
}

bool ends_context(CUresult result) {
  const FaultKind kind = fault_kind(result);
  return result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_UNKNOWN ||
         (kind != FaultKind::other && kind != FaultKind::out_of_memory);
}

}  // namespace xcuda::device::cuda
