#include "device/cuda/gpu_copies.hpp"

#include <algorithm>
#include <cstring>

namespace xcuda::device::cuda {
namespace {

template <class Number> Number number_of(const std::vector<std::byte>& pattern) {
  Number number{};
  std::memcpy(&number, pattern.data(), sizeof number);
  return number;
}

// The first pattern. Pageable host memory is taken before the call returns; a capture sets byte by byte.
CUresult fill_first(const Driver& driver, const FillRequest& request, CUstream stream, Posting posting) {
  const auto& pattern = request.pattern;
  if (posting == Posting::now)
    return driver.cuMemcpyAsync(request.address, reinterpret_cast<CUdeviceptr>(pattern.data()), pattern.size(), stream);
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (const CUresult result =
            driver.cuMemsetD8Async(request.address + i, static_cast<unsigned char>(pattern[i]), 1, stream);
        result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult fill(const Driver& driver, const FillRequest& request, CUstream stream, Posting posting) {
  const auto& pattern = request.pattern;
  const auto size = pattern.size();
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (request.count == 0) return CUDA_SUCCESS;
  if (std::all_of(pattern.begin(), pattern.end(), [&](std::byte byte) { return byte == pattern[0]; }))
    return driver.cuMemsetD8Async(request.address, static_cast<unsigned char>(pattern[0]), request.count * size,
                                  stream);
  if (size == 2)
    return driver.cuMemsetD16Async(request.address, number_of<unsigned short>(pattern), request.count, stream);
  if (size == 4) return driver.cuMemsetD32Async(request.address, number_of<unsigned>(pattern), request.count, stream);
  // Any other size: the first pattern, then copies of what is there, doubling.
  if (const CUresult result = fill_first(driver, request, stream, posting); result != CUDA_SUCCESS) return result;
  for (std::uint64_t done = 1; done < request.count;) {
    const std::uint64_t more = std::min(done, request.count - done);
    if (const CUresult result =
            driver.cuMemcpyAsync(request.address + done * size, request.address, more * size, stream);
        result != CUDA_SUCCESS)
      return result;
    done += more;
  }
  return CUDA_SUCCESS;
}

CUresult copy(const Driver& driver, const CopyRequest& request, const Ends& ends, CUstream stream) {
  if (request.width == 0 || request.height == 0) return CUDA_SUCCESS;
  if (request.height == 1) return driver.cuMemcpyAsync(ends.to, ends.from, request.width, stream);
  CUDA_MEMCPY2D rectangle{};
  rectangle.srcMemoryType = rectangle.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rectangle.srcDevice = ends.from;
  rectangle.dstDevice = ends.to;
  rectangle.srcPitch = request.from_pitch;
  rectangle.dstPitch = request.to_pitch;
  rectangle.WidthInBytes = request.width;
  rectangle.Height = request.height;
  return driver.cuMemcpy2DAsync(&rectangle, stream);
}

}  // namespace xcuda::device::cuda
