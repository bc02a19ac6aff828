// The CUDA Runtime's functions of managed memory, batches and pools by their places.
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/runtime/program.hpp"
#include "tests/runtime/runtime_calls.hpp"

namespace xcuda::test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr cudaMemLocation kDevice{cudaMemLocationTypeDevice, {0}}, kHost{cudaMemLocationTypeHost, {0}};

int attribute(cudaMemRangeAttribute which, const void* at, std::size_t bytes) {
  int value = 99;
  WORKS(cudaMemRangeGetAttribute, &value, sizeof value, which, at, bytes);
  return value;
}

void call_advice(char* all) {
  char* const second = all + kPage;
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, all, 4 * kPage), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, all, 4 * kPage), cudaInvalidDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocationType, all, 4 * kPage), cudaMemLocationTypeInvalid);
  WORKS(cudaMemAdvise, second, 2 * kPage, cudaMemAdviseSetReadMostly, kDevice);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, second, 2 * kPage), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, second + 10, 1), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, all, 2 * kPage), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, second, 3 * kPage), 0);
  WORKS(cudaMemAdvise, second + kPage, 1, cudaMemAdviseUnsetReadMostly, kDevice);  // its whole page
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, second, kPage), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, second + kPage, kPage), 0);

  WORKS(cudaMemAdvise, all, 2 * kPage, cudaMemAdviseSetPreferredLocation, kDevice);
  WORKS(cudaMemAdvise, all + 2 * kPage, 2 * kPage, cudaMemAdviseSetPreferredLocation, kHost);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, all, 2 * kPage), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, all + 2 * kPage, 2 * kPage), cudaCpuDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, all, 4 * kPage), cudaInvalidDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, all, kPage), cudaMemLocationTypeDevice);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationId, all, kPage), 0);
  WORKS(cudaMemAdvise, all, kPage, cudaMemAdviseUnsetPreferredLocation, kDevice);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, all, kPage), cudaMemLocationTypeInvalid);
  const cudaMemLocation here{cudaMemLocationTypeHostNumaCurrent, {0}}, nowhere{cudaMemLocationTypeHostNuma, {9999}};
  WORKS(cudaMemAdvise, all, kPage, cudaMemAdviseSetPreferredLocation, here);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, all, kPage), cudaMemLocationTypeHostNuma);

  WORKS(cudaMemAdvise, all, 4 * kPage, cudaMemAdviseSetAccessedBy, kDevice);
  WORKS(cudaMemAdvise, all, kPage, cudaMemAdviseSetAccessedBy, kHost);
  int by[3] = {};
  WORKS(cudaMemRangeGetAttribute, by, sizeof by, cudaMemRangeAttributeAccessedBy, all, kPage);
  EXPECT_TRUE(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
  WORKS(cudaMemRangeGetAttribute, by, sizeof by, cudaMemRangeAttributeAccessedBy, all, 2 * kPage);
  EXPECT_TRUE(by[0] == 0 && by[1] == cudaInvalidDeviceId);
  WORKS(cudaMemAdvise, all, kPage, cudaMemAdviseUnsetAccessedBy, kDevice);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemAdvise, all, kPage, cudaMemAdviseSetAccessedBy, here);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemAdvise, all, kPage, cudaMemAdviseSetPreferredLocation, nowhere);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemAdvise, all, 6 * kPage, cudaMemAdviseSetReadMostly, kDevice);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemAdvise, all, kPage, static_cast<cudaMemoryAdvise>(9), kDevice);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemRangeGetAttribute, by, 3, cudaMemRangeAttributeAccessedBy, all, kPage);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemRangeGetAttribute, by, 8, cudaMemRangeAttributeReadMostly, all, kPage);

  int mostly = 9, id = 9;
  void* data[] = {&mostly, &id};
  std::size_t sizes[] = {4, 4};
  cudaMemRangeAttribute wanted[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
  WORKS(cudaMemRangeGetAttributes, data, sizes, wanted, 2, second, kPage);
  EXPECT_TRUE(mostly == 1 && id == 0);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemRangeGetAttributes, data, sizes, wanted, 0, second, kPage);
}

void call_prefetches(char* all, cudaStream_t stream) {
  const auto last = [&](std::size_t page) {
    return attribute(cudaMemRangeAttributeLastPrefetchLocation, all + page * kPage, kPage);
  };
  WORKS(cudaMemPrefetchAsync, all, kPage, kHost, 0, stream);
  EXPECT_TRUE(last(0) == cudaCpuDeviceId && last(1) == cudaInvalidDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocationId, all, kPage), cudaCpuDeviceId);
  void* ranges[] = {all, all + kPage, all + 2 * kPage};
  std::size_t sizes[] = {kPage, kPage, 2 * kPage}, starts[] = {0, 2};
  cudaMemLocation places[] = {kDevice, kHost};
  WORKS(cudaMemPrefetchBatchAsync, ranges, sizes, 3, places, starts, 2, 0, stream);
  EXPECT_TRUE(last(0) == 0 && last(1) == 0 && last(2) == cudaCpuDeviceId && last(3) == cudaCpuDeviceId);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync, ranges, sizes, 3, places, starts, 2, 0, nullptr);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync, ranges, sizes, 3, places, starts, 2, 1, stream);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync, ranges, sizes, 2, places, starts, 2, 0, stream);
  std::memset(all, 5, 4 * kPage);
  WORKS(cudaMemDiscardBatchAsync, ranges, sizes, 1, 0, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_TRUE(all[kPage] == 5 && all[4 * kPage - 1] == 5);  // what was not discarded
  EXPECT_TRUE(all[0] == 0 && all[kPage - 1] == 0);          // the machine has taken it, and gives another page
  places[1] = kDevice;
  WORKS(cudaMemDiscardAndPrefetchBatchAsync, ranges, sizes, 3, places, starts, 2, 0, stream);
  EXPECT_EQ(last(3), 0);
  WORKS(cudaStreamSynchronize, stream);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_CALL(cudaErrorStreamCaptureUnsupported, cudaMemPrefetchAsync, all, kPage, kHost, 0, stream);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  sizes[0] = 6 * kPage;
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemDiscardBatchAsync, ranges, sizes, 1, 0, stream);
}

// A box of 4 x 2 elements from memory to an array and, from its second column on, back.
void call_box_batch(cudaStream_t stream) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  int* memory = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 2, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&memory), 64 * sizeof(int), cudaMemAttachGlobal), cudaSuccess);
  for (int i = 0; i < 64; ++i) memory[i] = i;
  cudaMemcpy3DOperand in{}, whole{}, part{}, out{};
  in.type = out.type = cudaMemcpyOperandTypePointer;
  in.op.ptr = {memory, 8, 0, {}};
  out.op.ptr = {memory + 32, 0, 0, {}};
  whole.type = part.type = cudaMemcpyOperandTypeArray;
  whole.op.array = {array, {0, 0, 0}};
  part.op.array = {array, {1, 0, 0}};
  cudaMemcpy3DBatchOp list[] = {{in, whole, {4, 2, 1}, cudaMemcpySrcAccessOrderStream, 0},
                                {part, out, {3, 2, 1}, cudaMemcpySrcAccessOrderDuringApiCall, 0}};
  WORKS(cudaMemcpy3DBatchAsync, 2, list, 0, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_EQ(std::vector<int>(memory + 32, memory + 38), (std::vector<int>{1, 2, 3, 9, 10, 11}));
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync, 2, list, 0, nullptr);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync, 2, list, 1, stream);
  list[1].extent.depth = 0;
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync, 2, list, 0, stream);
  list[0].src.op.ptr.rowLength = 3;  // less than the width
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync, 1, list, 0, stream);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

void call_pools_by_place(cudaStream_t stream) {
  cudaMemLocation device = kDevice, host = kHost, none{cudaMemLocationTypeNone, {0}};
  cudaMemPool_t of_device = nullptr, of_host = nullptr, managed = nullptr, usual = nullptr;
  WORKS(cudaMemGetDefaultMemPool, &of_device, &device, cudaMemAllocationTypePinned);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
  EXPECT_EQ(of_device, usual);
  WORKS(cudaMemGetDefaultMemPool, &of_host, &host, cudaMemAllocationTypePinned);
  WORKS(cudaMemGetDefaultMemPool, &managed, &none, cudaMemAllocationTypeManaged);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemGetDefaultMemPool, &usual, &none, cudaMemAllocationTypePinned);
  const auto type_from = [&](cudaMemPool_t pool) {
    void* memory = nullptr;
    cudaPointerAttributes is{};
    EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 100, pool, stream), cudaSuccess);
    EXPECT_EQ(cudaPointerGetAttributes(&is, memory), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 100, pool, stream), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    std::uint64_t used = 9;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
    EXPECT_EQ(used, 0U);
    return is.type;
  };
  EXPECT_EQ(type_from(of_device), cudaMemoryTypeDevice);
  EXPECT_EQ(type_from(of_host), cudaMemoryTypeHost);
  EXPECT_EQ(type_from(managed), cudaMemoryTypeManaged);
  void* places[2] = {};  // one place twice: what was said of the first memory there is forgotten
  for (void*& place : places) {
    ASSERT_EQ(cudaMallocFromPoolAsync(&place, kPage, managed, stream), cudaSuccess);
    EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, place, kPage), 0);
    WORKS(cudaMemAdvise, place, kPage, cudaMemAdviseSetReadMostly, kDevice);
    EXPECT_EQ(cudaFreeAsync(place, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  EXPECT_EQ(places[0], places[1]);
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location = kHost;
  cudaMemPool_t own = nullptr, now = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&own, &wanted), cudaSuccess);
  WORKS(cudaMemSetMemPool, &host, cudaMemAllocationTypePinned, own);
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemSetMemPool, &device, cudaMemAllocationTypePinned, own);
  WORKS(cudaMemGetMemPool, &now, &host, cudaMemAllocationTypePinned);
  EXPECT_EQ(now, own);
  ASSERT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
  WORKS(cudaMemGetMemPool, &now, &host, cudaMemAllocationTypePinned);
  EXPECT_EQ(now, of_host);
}

void call_links() {
  unsigned can[2] = {};
  const cudaAtomicOperation wanted[] = {cudaAtomicOperationFloatAdd, cudaAtomicOperationFloatMin};
  WORKS(cudaDeviceGetHostAtomicCapabilities, can, wanted, 2, 0);
  EXPECT_TRUE((can[0] & cudaAtomicCapabilityScalar64) != 0 && can[1] == 0);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceGetHostAtomicCapabilities, can, wanted, 2, 1);
  EXPECT_CALL(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities, can, wanted, 0, 0);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceGetP2PAtomicCapabilities, can, wanted, 2, 0, 0);
}

}  // namespace

void call_managed(cudaStream_t stream) {
  char *all = nullptr, *pages = nullptr;
  const auto allocate = [&] {
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&all), 5 * kPage, cudaMemAttachGlobal), cudaSuccess);
    pages = all + (kPage - reinterpret_cast<std::uintptr_t>(all) % kPage) % kPage;
  };
  allocate();
  call_advice(pages);
  call_prefetches(pages, stream);
  EXPECT_EQ(cudaFree(all), cudaSuccess);
  int value = 0;
  EXPECT_CALL(cudaErrorInvalidValue, cudaMemRangeGetAttribute, &value, 4, cudaMemRangeAttributeReadMostly, all, 4);
  allocate();
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, pages, kPage), cudaInvalidDeviceId);  // it was forgotten
  EXPECT_EQ(cudaFree(all), cudaSuccess);
  call_box_batch(stream);
  call_pools_by_place(stream);
  call_links();
  cudaGetLastError();
}

}  // namespace xcuda::test
