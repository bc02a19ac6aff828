// The Driver API's functions of memory, copies, arrays, textures and surfaces.
#include <unistd.h>

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
  int mostly = 9, prefetched = 9;
  DOES(cuMemRangeGetAttribute, &mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 64);
  EXPECT_EQ(mostly, 1);
  DOES(cuMemAdvise, managed, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU);
  DOES(cuMemPrefetchAsync, managed, 64, CU_DEVICE_CPU, nullptr);
  void* attributes[] = {&mostly, &prefetched};
  std::size_t attribute_sizes[] = {4, 4};
  CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                   CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
  DOES(cuMemRangeGetAttributes, attributes, attribute_sizes, which, 2, managed, 64);
  EXPECT_TRUE(mostly == CU_DEVICE_CPU && prefetched == CU_DEVICE_CPU);
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
  const unsigned synchronous = 1;
  DOES(cuPointerSetAttribute, &synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute, &synchronous, CU_POINTER_ATTRIBUTE_MAPPED, device);
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
  for (const int supported : {142, 144}) {  // pools of the host, as CUDA 13 says it
    int is_there = 0;
    DOES(cuDeviceGetAttribute, &is_there, static_cast<CUdevice_attribute>(supported), 0);
    EXPECT_EQ(is_there, 1);
  }
  properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
  DOES(cuMemPoolCreate, &pool, &properties);
  DOES(cuMemAllocFromPoolAsync, &address, 1000, pool, nullptr);
  DOES(cuMemFreeAsync, address, nullptr);
  DOES(cuMemPoolDestroy, pool);
  properties.location = location;
  int descriptor = -1;
  CUmemoryPool imported = nullptr;
  CUmemPoolPtrExportData piece{};
  CUdeviceptr same = 0;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  ASSERT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr), CUDA_SUCCESS);
  DOES(cuMemPoolExportToShareableHandle, &descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  DOES(cuMemPoolExportPointer, &piece, address);
  DOES(cuMemPoolImportFromShareableHandle, &imported, reinterpret_cast<void*>(std::intptr_t{descriptor}),
       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  EXPECT_EQ(cuMemsetD8_v2(address, 5, 64), CUDA_SUCCESS);
  DOES(cuMemPoolImportPointer, &same, imported, &piece);
  unsigned char there = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&there, same + 63, 1), CUDA_SUCCESS);
  EXPECT_EQ(there, 5);
  EXPECT_EQ(cuMemFree_v2(same), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(imported), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  close(descriptor);
  CUmemLocation host_place{CU_MEM_LOCATION_TYPE_HOST, {0}};
  CUmemoryPool of_host = nullptr;
  DOES(cuMemGetDefaultMemPool, &of_host, &host_place, CU_MEM_ALLOCATION_TYPE_PINNED);
  DOES(cuMemSetMemPool, &host_place, CU_MEM_ALLOCATION_TYPE_PINNED, of_host);
  DOES(cuMemGetMemPool, &pool, &host_place, CU_MEM_ALLOCATION_TYPE_PINNED);
  EXPECT_EQ(pool, of_host);
  DOES(cuMemAllocFromPoolAsync, &address, 8, of_host, nullptr);
  DOES(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  EXPECT_EQ(type, CU_MEMORYTYPE_HOST);
  DOES(cuMemFreeAsync, address, nullptr);
}

// Two files of memory side by side, and one of them a second time.
void call_driver_mappings() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  std::size_t grain = 0;
  CUdeviceptr base = 0;
  CUmemGenericAllocationHandle first = 0, second = 0, same = 0, imported = 0;
  DOES(cuMemGetAllocationGranularity, &grain, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve, &base, grain + 1, 0, 0, 0);
  DRIVER_CALL(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve, &base, 0 - grain, 2 * grain, 0, 0);
  DOES(cuMemAddressReserve, &base, 4 * grain, 0, 0, 0);
  EXPECT_EQ(base % grain, 0U);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemCreate, &first, 100, &wanted, 0);
  DRIVER_CALL(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate, &first, std::size_t{1} << 50, &wanted, 0);
  DOES(cuMemCreate, &first, grain, &wanted, 0);
  DOES(cuMemCreate, &second, 2 * grain, &wanted, 0);
  DOES(cuMemMap, base, grain, 0, first, 0);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemMap, base, grain, 0, second, 0);                  // it is taken
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemMap, base + 3 * grain, 2 * grain, 0, second, 0);  // beyond the range
  DOES(cuMemMap, base + grain, 2 * grain, 0, second, 0);
  EXPECT_EQ(cuMemsetD8_v2(base, 1, grain), CUDA_ERROR_INVALID_VALUE);  // no access yet
  CUmemAccessDesc access{wanted.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess, base, 2 * grain, &access, 1);  // a part of a mapping
  DOES(cuMemSetAccess, base, 3 * grain, &access, 1);
  unsigned long long flags = 9;
  DOES(cuMemGetAccess, &flags, &wanted.location, base + grain);
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(cuMemsetD8_v2(base, 7, 3 * grain), CUDA_SUCCESS);  // over the bounds between them
  EXPECT_EQ(cuMemsetD8_v2(base, 7, 3 * grain + 1), CUDA_ERROR_INVALID_VALUE);
  unsigned char last = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&last, base + 3 * grain - 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(last, 7);
  DOES(cuMemMap, base + 3 * grain, grain, 0, first, 0);
  EXPECT_EQ(cuMemSetAccess(base + 3 * grain, grain, &access, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(base + 3 * grain, 9, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&last, base, 1), CUDA_SUCCESS);
  EXPECT_EQ(last, 9);  // it is the first one's memory

  CUmemAllocationProp is{};
  DOES(cuMemGetAllocationPropertiesFromHandle, &is, first);
  EXPECT_TRUE(is.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
              is.requestedHandleTypes == wanted.requestedHandleTypes);
  DOES(cuMemRetainAllocationHandle, &same, reinterpret_cast<void*>(base + 8));
  EXPECT_EQ(same, first);
  int descriptor = -1;
  DOES(cuMemExportToShareableHandle, &descriptor, first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  DOES(cuMemUnmap, base + 3 * grain, grain);
  DOES(cuMemImportFromShareableHandle, &imported, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  close(descriptor);
  EXPECT_EQ(cuMemMap(base + 3 * grain, grain, 0, imported, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemSetAccess(base + 3 * grain, grain, &access, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&last, base + 3 * grain, 1), CUDA_SUCCESS);
  EXPECT_EQ(last, 9);
  for (const auto handle : {first, same, second, imported}) DOES(cuMemRelease, handle);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemRelease, first);
  EXPECT_EQ(cuMemcpyDtoH_v2(&last, base, 1), CUDA_SUCCESS);  // it lives as long as it is mapped
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemUnmap, base, grain / 2);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree, base, 4 * grain);  // something is mapped
  DOES(cuMemUnmap, base, 4 * grain);
  EXPECT_EQ(cuMemsetD8_v2(base, 7, 1), CUDA_ERROR_INVALID_VALUE);
  DOES(cuMemAddressFree, base, 4 * grain);
}

// Words that one stream waits for and another one writes.
void call_driver_words(CUstream stream) {
  CUdeviceptr words = 0;
  CUstream other = nullptr;
  ASSERT_EQ(cuMemAllocManaged(&words, 32, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  auto* const ints = static_cast<volatile std::uint32_t*>(reinterpret_cast<void*>(words));
  for (int i = 0; i < 8; ++i) ints[i] = 0;
  DOES(cuStreamWaitValue32_v2, stream, words, 5, CU_STREAM_WAIT_VALUE_GEQ);
  DOES(cuStreamWriteValue32_v2, stream, words + 4, 7, 0);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(ints[1], 0U);
  DOES(cuStreamWriteValue32_v2, other, words, 6, CU_STREAM_WRITE_VALUE_DEFAULT);
  DOES(cuStreamSynchronize, stream);
  EXPECT_EQ(ints[1], 7U);
  DOES(cuStreamWaitValue64_v2, stream, words + 8, std::uint64_t{1} << 40, CU_STREAM_WAIT_VALUE_AND);
  DOES(cuStreamWriteValue64_v2, other, words + 8, std::uint64_t{3} << 40, 0);
  DOES(cuStreamSynchronize, stream);
  CUstreamBatchMemOpParams list[3] = {};
  list[0].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, words + 16, {.value = 9}, CU_STREAM_WAIT_VALUE_EQ, 0};
  list[1].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_64, words + 24, {.value64 = 11}, 0, 0};
  list[2].memoryBarrier = {CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEMORY_BARRIER_TYPE_SYS};
  DOES(cuStreamBatchMemOp_v2, stream, 3, list, 0);
  ints[4] = 9;  // by the host
  DOES(cuStreamSynchronize, stream);
  EXPECT_EQ(ints[6], 11U);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2, stream, 0, list, 0);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2, stream, words, 5, 4);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2, stream, words + 2, 5, 0);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64_v2, stream, words + 28, 5, 0);
  EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(words), CUDA_SUCCESS);
}

void call_driver_batches(CUstream stream) {
  CUdeviceptr managed = 0;
  ASSERT_EQ(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  std::size_t size = 8192, first = 0, failed = 9;
  CUmemLocation place{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  int last = 9;
  DOES(cuMemPrefetchBatchAsync, &managed, &size, 1, &place, &first, 1, 0, stream);
  EXPECT_EQ(cuMemRangeGetAttribute(&last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, size),
            CUDA_SUCCESS);
  EXPECT_EQ(last, 0);
  DOES(cuMemDiscardBatchAsync, &managed, &size, 1, 0, stream);
  DOES(cuMemDiscardAndPrefetchBatchAsync, &managed, &size, 1, &place, &first, 1, 0, stream);
  DOES(cuStreamSynchronize, stream);
  auto* const ints = static_cast<int*>(reinterpret_cast<void*>(managed));
  ints[0] = 3;
  CUdeviceptr to = managed + 4;
  std::size_t bytes = 4;
  CUmemcpyAttributes hint{};
  hint.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  DOES(cuMemcpyBatchAsync, &to, &managed, &bytes, 1, &hint, &first, 1, &failed, stream);
  CUDA_MEMCPY3D_BATCH_OP box{};
  box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  box.src.op.ptr.ptr = managed;
  box.dst.op.ptr.ptr = managed + 8;
  box.extent = {8, 1, 1};
  box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  DOES(cuMemcpy3DBatchAsync_v2, 1, &box, 0, stream);
  box.dst.op.ptr.ptr = managed + 16;
  DOES(cuMemcpy3DBatchAsync, 1, &box, &failed, 0, stream);
  DOES(cuStreamSynchronize, stream);
  EXPECT_TRUE(ints[1] == 3 && ints[2] == 3 && ints[5] == 3);
  box.extent.width = 0;
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync, 1, &box, &failed, 0, stream);
  EXPECT_EQ(failed, 0U);
  EXPECT_EQ(cuMemFree_v2(managed), CUDA_SUCCESS);
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
  CUDA_RESOURCE_VIEW_DESC view{};
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceViewDesc, nullptr, texture);
  view.format = CU_RES_VIEW_FORMAT_UINT_4X8;
  CUtexObject viewed = 0;
  EXPECT_EQ(cuTexObjectCreate(&viewed, &resource, &sampling, &view), CUDA_SUCCESS);
  view = {};
  DOES(cuTexObjectGetResourceViewDesc, &view, viewed);
  EXPECT_EQ(view.format, CU_RES_VIEW_FORMAT_UINT_4X8);
  EXPECT_EQ(cuTexObjectDestroy(viewed), CUDA_SUCCESS);
  DOES(cuTexObjectDestroy, texture);
  DOES(cuSurfObjectCreate, &surface, &resource);
  DOES(cuSurfObjectGetResourceDesc, &found, surface);
  DOES(cuSurfObjectDestroy, surface);
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs{};
  DOES(cuArrayGetMemoryRequirements, &needs, plane, 0);
  EXPECT_EQ(needs.size, 64U);
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
