// Copies and fills of the Driver API, whose boxes are counted in bytes.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>

#include "runtime/copies.hpp"
#include "runtime/cuda_arrays.hpp"
#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

// One side of a box.
struct End {
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
  const void* host = nullptr;
  CUdeviceptr device = 0;
  CUarray array = nullptr;
  std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;  // x and pitch in bytes
};

struct Extent {
  std::size_t width = 0, height = 1, depth = 1;  // width in bytes
};

cudaArray_t as_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaError_t side_of_end(State& state, const End& end, const Extent& extent, Side& side) {
  if (end.type == CU_MEMORYTYPE_ARRAY) {
    const auto* array = state.find_array(as_array(end.array));
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const auto found = runtime::side_of(*array, Box{end.x, end.y, end.z, extent.width, extent.height, extent.depth});
    if (!found) return cudaErrorInvalidValue;
    side = *found;
    return cudaSuccess;
  }
  const auto* address = static_cast<const std::byte*>(end.type == CU_MEMORYTYPE_HOST ? end.host : pointer(end.device));
  if (address == nullptr) return cudaErrorInvalidValue;
  const std::size_t pitch = end.pitch != 0 ? end.pitch : end.x + extent.width;
  const std::size_t slice = pitch * std::max(end.height, end.y + extent.height);
  side = {address + end.z * slice + end.y * pitch + end.x, pitch, slice};
  return cudaSuccess;
}

cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST) return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

CUresult copy_ends(const End& to, const End& from, const Extent& extent, CUstream stream, Return when) {
  return in_context([&] {
    return with_state([&](State& state) {
      Copy request{
          .width = extent.width, .height = extent.height, .depth = extent.depth, .kind = kind_of(to.type, from.type)};
      if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
      if (const auto error = side_of_end(state, to, extent, request.to); error != cudaSuccess) return error;
      if (const auto error = side_of_end(state, from, extent, request.from); error != cudaSuccess) return error;
      return copy(state, request, stream, when);
    });
  });
}

End at_host(const void* host) { return {.type = CU_MEMORYTYPE_HOST, .host = host}; }
End at_device(CUdeviceptr address) { return {.type = CU_MEMORYTYPE_DEVICE, .device = address}; }
End anywhere(CUdeviceptr address) { return {.type = CU_MEMORYTYPE_UNIFIED, .device = address}; }
End in_array(CUarray array, std::size_t x) { return {.type = CU_MEMORYTYPE_ARRAY, .array = array, .x = x}; }

// The same without its contexts, which are those of one device.
std::optional<CUDA_MEMCPY3D> within_device(const CUDA_MEMCPY3D_PEER* box) {
  static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER) &&
                offsetof(CUDA_MEMCPY3D, reserved1) == offsetof(CUDA_MEMCPY3D_PEER, dstContext));
  if (box == nullptr) return std::nullopt;
  auto plain = std::bit_cast<CUDA_MEMCPY3D>(*box);
  plain.reserved0 = plain.reserved1 = nullptr;
  return plain;
}

CUresult copy_box(const CUDA_MEMCPY3D* box, CUstream stream, Return when) {
  if (box == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const End to{box->dstMemoryType, box->dstHost, box->dstDevice, box->dstArray, box->dstXInBytes,
               box->dstY,          box->dstZ,    box->dstPitch,  box->dstHeight};
  const End from{box->srcMemoryType, box->srcHost, box->srcDevice, box->srcArray, box->srcXInBytes,
                 box->srcY,          box->srcZ,    box->srcPitch,  box->srcHeight};
  return copy_ends(to, from, {box->WidthInBytes, box->Height, box->Depth}, stream, when);
}

CUresult copy_rectangle(const CUDA_MEMCPY2D* box, CUstream stream, Return when) {
  if (box == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const End to{box->dstMemoryType,
               box->dstHost,
               box->dstDevice,
               box->dstArray,
               box->dstXInBytes,
               box->dstY,
               0,
               box->dstPitch,
               0};
  const End from{box->srcMemoryType,
                 box->srcHost,
                 box->srcDevice,
                 box->srcArray,
                 box->srcXInBytes,
                 box->srcY,
                 0,
                 box->srcPitch,
                 0};
  return copy_ends(to, from, {box->WidthInBytes, box->Height, 1}, stream, when);
}

struct Filling {
  CUdeviceptr to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  int value_bytes = 1;
  std::size_t count = 0, height = 1;  // count: of elements in a row
};
CUresult fill_elements(const Filling& wanted, CUstream stream, Return when) {
  return in_context([&] {
    const auto bytes = static_cast<std::size_t>(wanted.value_bytes);
    if (wanted.to % bytes != 0 || wanted.pitch % bytes != 0) return cudaErrorInvalidValue;
    return with_state([&](State& state) {
      return fill(state,
                  {.to = {pointer(wanted.to), wanted.pitch},
                   .value = wanted.value,
                   .value_bytes = wanted.value_bytes,
                   .width = wanted.count * bytes,
                   .height = wanted.height},
                  stream, when);
    });
  });
}

using enum Return;

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_ends(anywhere(to), anywhere(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_ends(anywhere(to), anywhere(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
  return copy_ends(at_device(to), at_device(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes, CUstream stream) {
  return copy_ends(at_device(to), at_device(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy_ends(at_device(to), at_host(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return copy_ends(at_device(to), at_host(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_ends(at_host(to), at_device(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_ends(at_host(to), at_device(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_ends(at_device(to), at_device(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_ends(at_device(to), at_device(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyDtoA_v2(CUarray to, std::size_t x, CUdeviceptr from, std::size_t bytes) {
  return copy_ends(in_array(to, x), at_device(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, std::size_t x, std::size_t bytes) {
  return copy_ends(at_device(to), in_array(from, x), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyHtoA_v2(CUarray to, std::size_t x, const void* from, std::size_t bytes) {
  return copy_ends(in_array(to, x), at_host(from), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, std::size_t x, const void* from, std::size_t bytes, CUstream stream) {
  return copy_ends(in_array(to, x), at_host(from), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t x, std::size_t bytes) {
  return copy_ends(at_host(to), in_array(from, x), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t x, std::size_t bytes, CUstream stream) {
  return copy_ends(at_host(to), in_array(from, x), {bytes}, stream, asynchronous);
}
CUresult cuMemcpyAtoA_v2(CUarray to, std::size_t to_x, CUarray from, std::size_t from_x, std::size_t bytes) {
  return copy_ends(in_array(to, to_x), in_array(from, from_x), {bytes}, nullptr, synchronous);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* box) { return copy_rectangle(box, nullptr, synchronous); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* box) { return copy_rectangle(box, nullptr, synchronous); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* box, CUstream stream) {
  return copy_rectangle(box, stream, asynchronous);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* box) { return copy_box(box, nullptr, synchronous); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* box, CUstream stream) { return copy_box(box, stream, asynchronous); }

// All contexts are the one device.
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* box, CUstream stream) {
  const auto plain = within_device(box);
  return plain ? copy_box(&*plain, stream, asynchronous) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* box) {
  const auto plain = within_device(box);
  return plain ? copy_box(&*plain, nullptr, synchronous) : CUDA_ERROR_INVALID_VALUE;
}

// Those without a version are CUDA 12's, and say which copy is wrong.
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, std::size_t* bytes, std::size_t count,
                            CUmemcpyAttributes* attributes, std::size_t* attribute_starts, std::size_t attribute_count,
                            std::size_t* failed, CUstream stream) {
  static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes) && sizeof *to == sizeof(void*));
  return in_context_of(stream, [&] {
    return copy_batch({reinterpret_cast<void**>(to), reinterpret_cast<const void**>(from), bytes, count,
                       reinterpret_cast<cudaMemcpyAttributes*>(attributes), attribute_starts, attribute_count},
                      stream, failed);
  });
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, std::size_t* bytes, std::size_t count,
                               CUmemcpyAttributes* attributes, std::size_t* attribute_starts,
                               std::size_t attribute_count, CUstream stream) {
  return driver::cuMemcpyBatchAsync(to, from, bytes, count, attributes, attribute_starts, attribute_count, nullptr,
                                    stream);
}
CUresult cuMemcpy3DBatchAsync(std::size_t count, CUDA_MEMCPY3D_BATCH_OP* list, std::size_t* failed,
                              unsigned long long flags, CUstream stream) {
  static_assert(sizeof *list == sizeof(cudaMemcpy3DBatchOp));
  return in_context_of(stream, [&] {
    return copy_box_batch(reinterpret_cast<cudaMemcpy3DBatchOp*>(list), count, flags, stream, failed);
  });
}
CUresult cuMemcpy3DBatchAsync_v2(std::size_t count, CUDA_MEMCPY3D_BATCH_OP* list, unsigned long long flags,
                                 CUstream stream) {
  return driver::cuMemcpy3DBatchAsync(count, list, nullptr, flags, stream);
}

// --- Fills
// ------------------------------------------------------------------------------------------------------------

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill_elements({.to = to, .value = value, .value_bytes = 1, .count = count}, nullptr, synchronous);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill_elements({.to = to, .value = value, .value_bytes = 2, .count = count}, nullptr, synchronous);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  return fill_elements({.to = to, .value = value, .value_bytes = 4, .count = count}, nullptr, synchronous);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill_elements({.to = to, .value = value, .value_bytes = 1, .count = count}, stream, asynchronous);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return fill_elements({.to = to, .value = value, .value_bytes = 2, .count = count}, stream, asynchronous);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return fill_elements({.to = to, .value = value, .value_bytes = 4, .count = count}, stream, asynchronous);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height) {
  return fill_elements({to, pitch, value, 1, width, height}, nullptr, synchronous);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                          std::size_t height) {
  return fill_elements({to, pitch, value, 2, width, height}, nullptr, synchronous);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height) {
  return fill_elements({to, pitch, value, 4, width, height}, nullptr, synchronous);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill_elements({to, pitch, value, 1, width, height}, stream, asynchronous);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_elements({to, pitch, value, 2, width, height}, stream, asynchronous);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
                            CUstream stream) {
  return fill_elements({to, pitch, value, 4, width, height}, stream, asynchronous);
}

}  // namespace xcuda::runtime::driver
