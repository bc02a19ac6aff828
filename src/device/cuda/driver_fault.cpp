#include "device/cuda/driver_fault.hpp"

namespace xcuda::device::cuda {

// cuda.h has it since CUDA 12.9: an error of memory that only the programs that use it notice.
constexpr auto kContained = static_cast<CUresult>(226);

FaultKind fault_kind(CUresult result) {
  if (result == kContained) return FaultKind::hardware;
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
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE: return FaultKind::hardware;
    default: return FaultKind::other;
  }
}

bool ends_context(CUresult result) {
  const FaultKind kind = fault_kind(result);
  return result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_UNKNOWN ||
         (kind != FaultKind::other && kind != FaultKind::out_of_memory);
}

std::string_view advice_for_context(CUresult result) {
  switch (fault_kind(result)) {
    case FaultKind::out_of_memory:
      return "other processes hold the GPU's memory: `nvidia-smi` lists them. End one, or choose another device: "
             "%device";
    case FaultKind::hardware: return kHardwareAdvice;
    default: break;
  }
  return result == CUDA_ERROR_DEVICE_UNAVAILABLE
             ? "another process has the GPU for itself (`nvidia-smi -q -d COMPUTE` shows the mode): end it, or choose "
               "another device: %device"
             : "";
}

}  // namespace xcuda::device::cuda
