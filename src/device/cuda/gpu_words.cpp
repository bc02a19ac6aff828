#include "device/cuda/gpu_words.hpp"

namespace xcuda::device::cuda {

// 32-bit operations have no attribute of their own since CUDA 12; what has the wider ones has them.
bool GpuWords::share(const File& words) {
  int can = 0;
  if (driver_.cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device_) != CUDA_SUCCESS ||
      can == 0)
    return false;
  lock_.reset();
  words_ = SharedWords(words);
  auto* const bytes = words_.bytes().data();
  constexpr unsigned kFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  if (driver_.cuMemHostRegister(bytes, SharedWords::kBytes, kFlags) != CUDA_SUCCESS) return false;
  lock_ = PageLock({&driver_, bytes});
  return driver_.cuMemHostGetDevicePointer(&at_, bytes, 0) == CUDA_SUCCESS && works();
}

// A wait for what is there, which a virtual machine's driver may refuse in spite of the attribute.
bool GpuWords::works() {
  CUevent raw = nullptr;
  if (driver_.cuEventCreate(&raw, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return false;
  joint_ = Event({&driver_, raw});
  return driver_.cuStreamWaitValue32(nullptr, at(0), words_.value(0), CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS &&
         driver_.cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
}

CUresult GpuWords::write(std::uint32_t word, std::uint32_t value, const std::vector<CUstream>& streams) {
  for (auto* const stream : streams) {
    if (const auto result = driver_.cuEventRecord(joint_.get(), stream); result != CUDA_SUCCESS) return result;
    if (const auto result = driver_.cuStreamWaitEvent(nullptr, joint_.get(), 0); result != CUDA_SUCCESS) return result;
  }
  return driver_.cuStreamWriteValue32(nullptr, at(word), value, CU_STREAM_WRITE_VALUE_DEFAULT);
}

CUresult GpuWords::wait(std::uint32_t word, std::uint32_t value, const std::vector<CUstream>& streams) {
  const auto waits = driver_.cuStreamWaitValue32(nullptr, at(word), value, CU_STREAM_WAIT_VALUE_GEQ);
  if (waits != CUDA_SUCCESS || streams.empty()) return waits;
  if (const auto result = driver_.cuEventRecord(joint_.get(), nullptr); result != CUDA_SUCCESS) return result;
  for (auto* const stream : streams)
    if (const auto result = driver_.cuStreamWaitEvent(stream, joint_.get(), 0); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

}  // namespace xcuda::device::cuda
