// Calls about other devices, which do not exist here, and about the host, whose memory the device shares.
#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"

namespace xcuda::runtime {
namespace {

// What the device's instructions do with memory, as cudaAtomicOperationCapability.
unsigned atomics_of(cudaAtomicOperation operation) {
  constexpr unsigned kWords = cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
  constexpr unsigned kSigns = cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned;
  switch (operation) {
    case cudaAtomicOperationIntegerAdd:
    case cudaAtomicOperationIntegerMin:
    case cudaAtomicOperationIntegerMax: return kSigns | cudaAtomicCapabilityReduction | kWords;
    case cudaAtomicOperationIntegerIncrement:
    case cudaAtomicOperationIntegerDecrement:
      return cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityReduction | cudaAtomicCapabilityScalar32;
    case cudaAtomicOperationAnd:
    case cudaAtomicOperationOr:
    case cudaAtomicOperationXOR: return cudaAtomicCapabilityUnsigned | cudaAtomicCapabilityReduction | kWords;
    case cudaAtomicOperationExchange:
    case cudaAtomicOperationCAS: return cudaAtomicCapabilityUnsigned | kWords;
    case cudaAtomicOperationFloatAdd: return cudaAtomicCapabilitySigned | cudaAtomicCapabilityReduction | kWords;
    default: return 0;
  }
}

}  // namespace

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities, const cudaAtomicOperation* operations,
                                                unsigned count, int device) {
  return without_state([&] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (capabilities == nullptr || operations == nullptr || count == 0) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      if (operations[i] < cudaAtomicOperationIntegerAdd || operations[i] > cudaAtomicOperationFloatMax)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) capabilities[i] = atomics_of(operations[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return without_state([&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
    *can = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned) {
  return set_last(device == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int device) {
  return set_last(device == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) { return set_last(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned*, const cudaAtomicOperation*, unsigned, int, int) {
  return set_last(cudaErrorInvalidDevice);
}

}  // namespace xcuda::runtime
