// The Driver API's functions of memory, copies, arrays, textures and surfaces.
#include <numeric>
#include <vector>

#include "tests/runtime/driver_calls.hpp"

namespace xcuda::test {
namespace {

CUdeviceptr device_address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

void call_driver_memory() {
  CUdeviceptr device = 0, managed = 0, base = 0, address = 0;
  void *pinned = nullptr, *more = nullptr;
  std::size_t pitch = 0, free = 0, total = 0, size = 0;
  unsigned flags = 0, type = 0;
  std::vector<int> host(16);
  const CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  DOES(cuMemGetInfo_v2, &free, &total);
  EXPECT_LE(free, total);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2, &device, 0);
  DOES(cuMemAlloc_v2, &device, 64);
  DOES(cuMemGetAddressRange_v2, &base, &size, device + 8);
  EXPECT_TRUE(base == device && size == 64);
  DOES(cuMemAllocPitch_v2, &address, &pitch, 100, 4, 4);
  EXPECT_GE(pitch, 100u);
  DOES(cuMemFree_v2, address);
  DOES(cuMemAllocManaged, &managed, 64, CU_MEM_ATTACH_GLOBAL);
  DOES(cuMemAdvise_v2, managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, location);
  DOES(cuMemPrefetchAsync_v2, managed, 64, location, 0, nullptr);
  DOES(cuStreamAttachMemAsync, nullptr, managed, 0, CU_MEM_ATTACH_GLOBAL);
  DOES(cuMemAllocHost_v2, &pinned, 64);
  DOES(cuMemHostAlloc, &more, 64, CU_MEMHOSTALLOC_DEVICEMAP);
  DOES(cuMemHostGetFlags, &flags, more);
  DOES(cuMemHostGetDevicePointer_v2, &address, more, 0);
  EXPECT_EQ(address, device_address(more));
  DOES(cuMemFreeHost, more);
  DOES(cuMemHostRegister_v2, host.data(), 64, 0);
  DOES(cuMemHostUnregister, host.data());
  DOES(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void* places[] = {&size, &type};
  DOES(cuPointerGetAttributes, 2, wanted, places, device_address(pinned));
  EXPECT_TRUE(size == 64 && type == CU_MEMORYTYPE_HOST);
  CUipcMemHandle shared{};
  CUipcEventHandle shared_event{};
  CUevent event = nullptr, opened = nullptr;
  DOES(cuIpcGetMemHandle, &shared, device);
  DRIVER_CALL(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle_v2, &address, shared, 1);  // its own
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle, device);
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  DOES(cuIpcGetEventHandle, &shared_event, event);
  DRIVER_CALL(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle, &opened, shared_event);
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = location;
  cuuint64_t bytes = 0;
  DOES(cuMemPoolCreate, &pool, &properties);
  DOES(cuMemAllocFromPoolAsync, &address, 1000, pool, nullptr);
  DOES(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes);
  EXPECT_EQ(bytes, 1000u);
  DOES(cuMemFreeAsync, address, nullptr);
  DOES(cuMemAllocAsync, &address, 10, nullptr);
  DOES(cuMemFreeAsync, address, nullptr);
  DOES(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
  DOES(cuMemPoolTrimTo, pool, 0);
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAccess_flags access_flags{};
  DOES(cuMemPoolSetAccess, pool, &access, 1);
  DOES(cuMemPoolGetAccess, &access_flags, pool, &access.location);
  EXPECT_EQ(access_flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  DOES(cuMemPoolDestroy, pool);
}

void call_driver_copies(CUstream stream) {
  CUdeviceptr a = 0, b = 0;
  std::vector<int> host(64), back(64);
  std::iota(host.begin(), host.end(), 0);
  ASSERT_EQ(cuMemAlloc_v2(&a, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&b, 256), CUDA_SUCCESS);
  DOES(cuMemcpyHtoD_v2, a, host.data(), 256);
  DOES(cuMemcpyDtoD_v2, b, a, 256);
  DOES(cuMemcpyDtoH_v2, back.data(), b, 256);
  EXPECT_EQ(back, host);
  DOES(cuMemcpyHtoDAsync_v2, a, host.data() + 1, 4, stream);
  DOES(cuMemcpyDtoDAsync_v2, b, a, 4, stream);
  DOES(cuMemcpyDtoHAsync_v2, back.data(), b, 4, stream);
  DOES(cuStreamSynchronize, stream);
  EXPECT_EQ(back[0], 1);
  DOES(cuMemcpy, a, device_address(host.data()), 8);
  DOES(cuMemcpyAsync, device_address(back.data()), a, 8, stream);
  DOES(cuMemcpyPeer, b, nullptr, a, nullptr, 8);
  DOES(cuMemcpyPeerAsync, b, nullptr, a, nullptr, 8, stream);
  DOES(cuStreamSynchronize, stream);
  EXPECT_EQ(back[1], 1);

  DOES(cuMemsetD8_v2, a, 1, 4);
  DOES(cuMemsetD16_v2, a + 4, 2, 2);
  DOES(cuMemsetD32_v2, a + 8, 3, 1);
  DOES(cuMemsetD8Async, a + 12, 4, 4, stream);
  DOES(cuMemsetD16Async, a + 16, 5, 2, stream);
  DOES(cuMemsetD32Async, a + 20, 6, 1, stream);
  DOES(cuMemsetD2D8_v2, a + 24, 8, 7, 4, 2);
  DOES(cuMemsetD2D16_v2, a + 64, 8, 8, 2, 2);
  DOES(cuMemsetD2D32_v2, a + 96, 8, 9, 1, 2);
  DOES(cuMemsetD2D8Async, a + 128, 8, 10, 4, 2, stream);
  DOES(cuMemsetD2D16Async, a + 160, 8, 11, 2, 2, stream);
  DOES(cuMemsetD2D32Async, a + 192, 8, 12, 1, 2, stream);
  EXPECT_EQ(cuMemsetD32_v2(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  DOES(cuMemcpyDtoH_v2, back.data(), a, 256);
  const int expected[] = {0x01010101, 0x00020002, 3, 0x04040404, 0x00050005, 6, 0x07070707, 7, 0x07070707};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(back[static_cast<std::size_t>(i)], expected[i]) << i;
  EXPECT_TRUE(back[18] == 0x00080008 && back[26] == 9 && back[34] == 0x0a0a0a0a && back[42] == 0x000b000b &&
              back[50] == 12);

  // The second and third row of 8 columns, from column 1 on.
  CUDA_MEMCPY2D plane{};
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.srcHost = host.data();
  plane.srcPitch = 32;
  plane.srcXInBytes = 4;
  plane.srcY = 1;
  plane.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  plane.dstDevice = a;
  plane.dstPitch = 8;
  plane.WidthInBytes = 8;
  plane.Height = 2;
  DOES(cuMemcpy2D_v2, &plane);
  DOES(cuMemcpy2DUnaligned_v2, &plane);
  DOES(cuMemcpy2DAsync_v2, &plane, stream);
  DOES(cuMemcpyDtoH_v2, back.data(), a, 16);
  EXPECT_EQ(std::vector<int>(back.begin(), back.begin() + 4), (std::vector<int>{9, 10, 17, 18}));
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = host.data();
  box.srcPitch = 16;
  box.srcHeight = 4;
  box.srcZ = 1;
  box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  box.dstDevice = a;
  box.dstPitch = 8;
  box.dstHeight = 2;
  box.WidthInBytes = 8;
  box.Height = 2;
  box.Depth = 2;
  DOES(cuMemcpy3D_v2, &box);
  DOES(cuMemcpy3DAsync_v2, &box, stream);
  DOES(cuMemcpyDtoH_v2, back.data(), a, 32);
  EXPECT_EQ(std::vector<int>(back.begin(), back.begin() + 8), (std::vector<int>{16, 17, 20, 21, 32, 33, 36, 37}));

  CUDA_MEMCPY3D_PEER peer{};
  CUcontext context = nullptr;
  DOES(cuCtxGetCurrent, &context);
  std::vector<int> other(8);
  peer.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.srcDevice = a;
  peer.srcContext = peer.dstContext = context;
  peer.dstMemoryType = CU_MEMORYTYPE_HOST;
  peer.dstHost = other.data();
  peer.WidthInBytes = 32;
  peer.Height = peer.Depth = 1;
  DOES(cuMemcpy3DPeer, &peer);
  EXPECT_EQ(other, std::vector<int>(back.begin(), back.begin() + 8));
  DOES(cuMemcpy3DPeerAsync, &peer, stream);
  CUdeviceptr to = a + 4, from = a;
  std::size_t bytes = 4, first = 0;
  CUmemcpyAttributes hint{};
  hint.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  DOES(cuMemcpyBatchAsync_v2, &to, &from, &bytes, 1, &hint, &first, 1, stream);
  DOES(cuStreamSynchronize, stream);
  DOES(cuMemcpyDtoH_v2, back.data(), a, 8);
  EXPECT_EQ(back[1], 16);
  for (const int order : {0, 4}) {
    hint.srcAccessOrder = static_cast<CUmemcpySrcAccessOrder>(order);
    EXPECT_EQ(cuMemcpyBatchAsync_v2(&to, &from, &bytes, 1, &hint, &first, 1, stream), CUDA_ERROR_INVALID_VALUE);
  }
}

void call_driver_arrays(CUstream stream) {
  CUarray line = nullptr, plane = nullptr;
  CUdeviceptr memory = 0;
  std::vector<float> host{1, 2, 3, 4}, back(4);
  const CUDA_ARRAY_DESCRIPTOR wanted{4, 0, CU_AD_FORMAT_FLOAT, 1};
  const CUDA_ARRAY3D_DESCRIPTOR wanted_plane{4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST};
  CUDA_ARRAY_DESCRIPTOR is{};
  CUDA_ARRAY3D_DESCRIPTOR is_plane{};
  ASSERT_EQ(cuMemAlloc_v2(&memory, 64), CUDA_SUCCESS);
  DOES(cuArrayCreate_v2, &line, &wanted);
  DOES(cuArray3DCreate_v2, &plane, &wanted_plane);
  DOES(cuArrayGetDescriptor_v2, &is, line);
  EXPECT_TRUE(is.Width == 4 && is.Height == 0 && is.Format == CU_AD_FORMAT_FLOAT && is.NumChannels == 1);
  DOES(cuArray3DGetDescriptor_v2, &is_plane, plane);
  EXPECT_TRUE(is_plane.NumChannels == 4 && is_plane.Flags == CUDA_ARRAY3D_SURFACE_LDST);
  DOES(cuMemcpyHtoA_v2, line, 0, host.data(), 16);
  DOES(cuMemcpyAtoD_v2, memory, line, 4, 8);
  DOES(cuMemcpyDtoA_v2, line, 0, memory, 8);
  DOES(cuMemcpyAtoA_v2, line, 8, line, 0, 4);
  DOES(cuMemcpyAtoH_v2, back.data(), line, 0, 16);
  EXPECT_EQ(back, (std::vector<float>{2, 3, 2, 4}));
  DOES(cuMemcpyHtoAAsync_v2, line, 0, host.data(), 4, stream);
  DOES(cuMemcpyAtoHAsync_v2, back.data(), line, 0, 4, stream);
  DOES(cuStreamSynchronize, stream);
  EXPECT_EQ(back[0], 1);
  CUDA_RESOURCE_DESC resource{}, found{};
  CUDA_TEXTURE_DESC sampling{}, sampled{};
  CUtexObject texture = 0;
  CUsurfObject surface = 0;
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = plane;
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  sampling.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
  DOES(cuTexObjectCreate, &texture, &resource, &sampling, nullptr);
  DOES(cuTexObjectGetResourceDesc, &found, texture);
  EXPECT_EQ(found.res.array.hArray, plane);
  DOES(cuTexObjectGetTextureDesc, &sampled, texture);
  EXPECT_TRUE(sampled.flags == CU_TRSF_NORMALIZED_COORDINATES && sampled.addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR);
  DOES(cuTexObjectDestroy, texture);
  DOES(cuSurfObjectCreate, &surface, &resource);
  DOES(cuSurfObjectGetResourceDesc, &found, surface);
  DOES(cuSurfObjectDestroy, surface);
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs{};
  DOES(cuMipmappedArrayCreate, &mipmap, &wanted_plane, 2);
  DOES(cuMipmappedArrayGetLevel, &level, mipmap, 1);
  DOES(cuMipmappedArrayGetMemoryRequirements, &needs, mipmap, 0);
  EXPECT_GT(needs.size, 0U);
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
  DOES(cuMipmappedArrayDestroy, mipmap);
  DOES(cuArrayDestroy, line);
  DOES(cuArrayDestroy, plane);
}

}  // namespace xcuda::test
