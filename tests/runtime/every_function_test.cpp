// Each row of runtime/functions.def is called: those that are there do what they say, the others refuse.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/program.hpp"
#include "tests/runtime/runtime_calls.hpp"

namespace xcuda::test {

std::set<std::string>& called_runtime() {
  static std::set<std::string> names;
  return names;
}

namespace {

struct Row {
  const char *name, *other;  // other: of XCUDA_RUNTIME_THREAD
  enum class State { there, refused, of_thread } state;
};
constexpr Row kRows[] = {
#define XCUDA_RUNTIME_WORKS(name) {#name, "", Row::State::there},
#define XCUDA_RUNTIME_PARTLY(name, how) {#name, "", Row::State::there},
#define XCUDA_RUNTIME_REFUSED(name, what) {#name, "", Row::State::refused},
#define XCUDA_RUNTIME_THREAD(name, as) {#name, #as, Row::State::of_thread},
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD
};

void* symbol(const char* name) { return dlvsym(RTLD_DEFAULT, name, "libcudart.so.13"); }

TEST(EveryFunction, HasItsVersionedName) {
  for (const Row& row : kRows) EXPECT_NE(symbol(row.name), nullptr) << row.name;
}

TEST(EveryFunction, ThatIsNotThereSaysSoOnce) {
  int refused = 0;
  for (const Row& row : kRows) {
    if (row.state != Row::State::refused) continue;
    const auto function = reinterpret_cast<cudaError_t (*)(void*, void*, void*, void*)>(symbol(row.name));
    ASSERT_NE(function, nullptr) << row.name;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(function(nullptr, nullptr, nullptr, nullptr), cudaErrorNotSupported) << row.name;
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported) << row.name;
    function(nullptr, nullptr, nullptr, nullptr);
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find(std::string("xcuda: ") + row.name + " is not supported"), 0u) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    ++refused;
  }
  cudaGetLastError();
  EXPECT_GT(refused, 0);
}

struct Memory {
  int *device = nullptr, *managed = nullptr, *pinned = nullptr;
  std::vector<int> host = std::vector<int>(64);
  std::size_t bytes = 64 * sizeof(int);
};

void call_memory(Memory& memory) {
  void* more = nullptr;
  std::size_t pitch = 0, free = 0, total = 0;
  unsigned flags = 0;
  cudaPitchedPtr box{};
  cudaPointerAttributes attributes{};
  WORKS(cudaMalloc, reinterpret_cast<void**>(&memory.device), memory.bytes);
  WORKS(cudaMallocManaged, reinterpret_cast<void**>(&memory.managed), memory.bytes, cudaMemAttachGlobal);
  WORKS(cudaMallocHost, reinterpret_cast<void**>(&memory.pinned), memory.bytes);
  WORKS(cudaHostAlloc, &more, 100, cudaHostAllocMapped);
  WORKS(cudaHostGetFlags, &flags, more);
  EXPECT_EQ(flags, cudaHostAllocMapped);
  void* seen = nullptr;
  WORKS(cudaHostGetDevicePointer, &seen, more, 0);
  EXPECT_EQ(seen, more);
  WORKS(cudaFreeHost, more);
  WORKS(cudaHostRegister, memory.host.data(), memory.bytes, cudaHostRegisterDefault);
  WORKS(cudaPointerGetAttributes, &attributes, memory.host.data() + 3);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  WORKS(cudaHostUnregister, memory.host.data());
  WORKS(cudaMallocPitch, &more, &pitch, 100, 4);
  EXPECT_GE(pitch, 100u);
  WORKS(cudaMemset2D, more, pitch, 3, 100, 4);
  std::vector<char> rows(400);
  WORKS(cudaMemcpy2D, rows.data(), 100, more, pitch, 100, 4, cudaMemcpyDeviceToHost);
  EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), 0), 1200);
  WORKS(cudaFree, more);
  WORKS(cudaMalloc3D, &box, cudaExtent{16, 2, 3});
  WORKS(cudaMemset3D, box, 2, cudaExtent{16, 2, 3});
  std::vector<char> packed(96);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = box;
  copy.dstPtr = {packed.data(), 16, 16, 2};
  copy.extent = {16, 2, 3};
  copy.kind = cudaMemcpyDeviceToHost;
  WORKS(cudaMemcpy3D, &copy);
  EXPECT_EQ(std::accumulate(packed.begin(), packed.end(), 0), 192);
  WORKS(cudaMemset3DAsync, box, 1, cudaExtent{16, 2, 3}, nullptr);
  WORKS(cudaMemcpy3DAsync, &copy, nullptr);
  EXPECT_EQ(std::accumulate(packed.begin(), packed.end(), 0), 96);
  WORKS(cudaFree, box.ptr);
  WORKS(cudaMemGetInfo, &free, &total);
  EXPECT_LE(free, total);
  std::size_t alone = 0;
  EXPECT_EQ(cudaMemGetInfo(nullptr, &alone), cudaSuccess);
  EXPECT_EQ(alone, total);
  const cudaMemLocation location{cudaMemLocationTypeDevice, 0};
  WORKS(cudaMemAdvise, memory.managed, memory.bytes, cudaMemAdviseSetReadMostly, location);
  WORKS(cudaMemPrefetchAsync, memory.managed, memory.bytes, location, 0, nullptr);
  WORKS(cudaStreamAttachMemAsync, nullptr, memory.managed, 0, cudaMemAttachGlobal);
}

void call_copies(Memory& memory, cudaStream_t stream) {
  std::iota(memory.host.begin(), memory.host.end(), 0);
  std::vector<int> back(64);
  WORKS(cudaMemcpy, memory.device, memory.host.data(), memory.bytes, cudaMemcpyHostToDevice);
  WORKS(cudaMemcpyAsync, memory.managed, memory.device, memory.bytes, cudaMemcpyDeviceToDevice, stream);
  WORKS(cudaMemcpyPeer, memory.device, 0, memory.managed, 0, memory.bytes);
  WORKS(cudaMemcpyPeerAsync, memory.managed, 0, memory.device, 0, memory.bytes, stream);
  WORKS(cudaStreamSynchronize, stream);
  cudaMemcpy3DPeerParms peer{};
  peer.srcPtr = {memory.managed, memory.bytes, memory.bytes, 1};
  peer.dstPtr = {memory.pinned, memory.bytes, memory.bytes, 1};
  peer.extent = {memory.bytes, 1, 1};
  const auto expect_copied = [&] {
    EXPECT_EQ(std::memcmp(memory.pinned, memory.managed, memory.bytes), 0);
    std::memset(memory.pinned, 0x5a, memory.bytes);
  };
  std::memset(memory.pinned, 0x5a, memory.bytes);
  WORKS(cudaMemcpy3DPeer, &peer);
  expect_copied();
  WORKS(cudaMemcpy3DPeerAsync, &peer, stream);
  WORKS(cudaStreamSynchronize, stream);
  expect_copied();
  peer.srcDevice = 1;
  EXPECT_EQ(cudaMemcpy3DPeer(&peer), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpy3DPeerAsync(&peer, stream), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpy3DPeer(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy3DPeerAsync(nullptr, stream), cudaErrorInvalidValue);
  void* const to[] = {memory.pinned, memory.pinned + 32};
  const void* const from[] = {memory.managed, memory.managed + 32};
  const std::size_t halves[] = {memory.bytes / 2, memory.bytes / 2};
  cudaMemcpyAttributes hint{cudaMemcpySrcAccessOrderStream, {}, {}, 0};
  std::size_t first = 0;
  WORKS(cudaMemcpyBatchAsync, to, from, halves, 2, &hint, &first, 1, stream);
  WORKS(cudaStreamSynchronize, stream);
  expect_copied();
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, halves, 2, &hint, &first, 1, nullptr), cudaErrorInvalidValue);
  first = 1;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, halves, 2, &hint, &first, 1, stream), cudaErrorInvalidValue);
  WORKS(cudaMemcpy2DAsync, memory.pinned, 32, memory.managed, 32, 32, 8, cudaMemcpyDefault, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_EQ(std::memcmp(memory.pinned, memory.host.data(), memory.bytes), 0);
  WORKS(cudaMemset, memory.device, 0, memory.bytes);
  WORKS(cudaMemsetAsync, memory.device, 1, 4, stream);
  WORKS(cudaMemset2DAsync, memory.device + 1, 8, 2, 4, 2, stream);
  WORKS(cudaMemcpy, back.data(), memory.device, memory.bytes, cudaMemcpyDeviceToHost);
  EXPECT_EQ(back[0], 0x01010101);
  EXPECT_EQ(back[1], 0x02020202);
  EXPECT_EQ(back[2], 0);
  EXPECT_EQ(back[3], 0x02020202);
  int value = 0;
  void* address = nullptr;
  std::size_t size = 0;
  WORKS(cudaMemcpyFromSymbol, &value, &scale, 4, 0, cudaMemcpyDeviceToHost);
  EXPECT_EQ(value, 3);
  value = 8;
  WORKS(cudaMemcpyToSymbol, &scale, &value, 4, 0, cudaMemcpyHostToDevice);
  value = 0;
  WORKS(cudaMemcpyFromSymbolAsync, &value, &scale, 4, 0, cudaMemcpyDeviceToHost, stream);
  EXPECT_EQ(value, 8);
  value = 3;
  WORKS(cudaMemcpyToSymbolAsync, &scale, &value, 4, 0, cudaMemcpyHostToDevice, stream);
  WORKS(cudaGetSymbolAddress, &address, &scale);
  WORKS(cudaGetSymbolSize, &size, &scale);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(*static_cast<int*>(address), 3);
}

// What textures and surfaces read is in tests/cells/programs_on_device_textures.cells and
// programs_on_device_mipmaps.cells.
void call_arrays(Memory& memory, cudaStream_t stream) {
  std::iota(memory.host.begin(), memory.host.end(), 0);
  std::vector<int> back(64);
  const int* host = memory.host.data();
  cudaArray_t array = nullptr, other = nullptr, deep = nullptr;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  called_runtime().insert("cudaCreateChannelDesc");
  WORKS(cudaMallocArray, &array, &ints, 8, 8, cudaArraySurfaceLoadStore);
  WORKS(cudaMallocArray, &other, &ints, 8, 8, 0);
  WORKS(cudaMalloc3DArray, &deep, &ints, {4, 4, 4}, 0);
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
  WORKS(cudaArrayGetInfo, &format, &extent, &flags, array);
  EXPECT_EQ(extent.height, 8U);
  EXPECT_EQ(flags, cudaArraySurfaceLoadStore);
  WORKS(cudaGetChannelDesc, &format, deep);
  EXPECT_EQ(format.x, 32);
  cudaArrayMemoryRequirements needs{};
  WORKS(cudaArrayGetMemoryRequirements, &needs, deep, 0);
  EXPECT_EQ(needs.size, 256U);
  std::size_t most = 0;
  WORKS(cudaDeviceGetTexture1DLinearMaxWidth, &most, &ints, 0);
  EXPECT_GT(most, 0U);

  WORKS(cudaMemcpy2DToArray, array, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);
  WORKS(cudaMemcpy2DToArrayAsync, array, 4, 1, host, 32, 4, 1, cudaMemcpyHostToDevice, stream);
  WORKS(cudaMemcpy2DArrayToArray, other, 0, 0, array, 0, 0, 32, 8, cudaMemcpyDeviceToDevice);
  WORKS(cudaMemcpy2DFromArray, back.data(), 32, other, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
  EXPECT_EQ(back[9], 0);
  EXPECT_EQ(back[10], 10);
  WORKS(cudaMemcpy2DFromArrayAsync, back.data(), 8, other, 24, 7, 8, 1, cudaMemcpyDeviceToHost, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_EQ(back[1], 63);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  WORKS(cudaMemcpyToArray, other, 8, 1, host, 40, cudaMemcpyHostToDevice);
  WORKS(cudaMemcpyToArrayAsync, other, 0, 0, host + 5, 4, cudaMemcpyHostToDevice, stream);
  WORKS(cudaMemcpyArrayToArray, array, 0, 0, other, 0, 0, 256, cudaMemcpyDeviceToDevice);
  WORKS(cudaMemcpyFromArray, back.data(), array, 0, 0, 256, cudaMemcpyDeviceToHost);
  EXPECT_EQ(back[0], 5);
  EXPECT_EQ(back[19], 9);
  WORKS(cudaMemcpyFromArrayAsync, back.data(), array, 0, 2, 4, cudaMemcpyDeviceToHost, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_EQ(back[0], 6);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 7, host, 36, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
#pragma GCC diagnostic pop
  EXPECT_EQ(cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);

  cudaResourceDesc resource{}, found{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{}, sampled{};
  sampling.addressMode[1] = cudaAddressModeMirror;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  WORKS(cudaCreateTextureObject, &texture, &resource, &sampling, nullptr);
  WORKS(cudaGetTextureObjectResourceDesc, &found, texture);
  EXPECT_EQ(found.res.array.array, array);
  WORKS(cudaGetTextureObjectTextureDesc, &sampled, texture);
  EXPECT_EQ(sampled.addressMode[1], cudaAddressModeMirror);
  EXPECT_CALL(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc, nullptr, texture);
  cudaResourceViewDesc view{}, viewed{};
  view.format = cudaResViewFormatFloat1;
  cudaTextureObject_t other_view = 0;
  EXPECT_EQ(cudaCreateTextureObject(&other_view, &resource, &sampling, &view), cudaSuccess);
  WORKS(cudaGetTextureObjectResourceViewDesc, &viewed, other_view);
  EXPECT_EQ(viewed.format, cudaResViewFormatFloat1);
  view.lastMipmapLevel = 1;
  EXPECT_EQ(cudaCreateTextureObject(&other_view, &resource, &sampling, &view), cudaErrorInvalidValue);
  WORKS(cudaCreateSurfaceObject, &surface, &resource);
  WORKS(cudaGetSurfaceObjectResourceDesc, &found, surface);
  EXPECT_EQ(cudaDestroySurfaceObject(texture), cudaErrorInvalidResourceHandle);
  WORKS(cudaDestroyTextureObject, texture);
  WORKS(cudaDestroySurfaceObject, surface);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&found, texture), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(array)), cudaErrorInvalidValue);
  for (auto* one : {array, other, deep}) WORKS(cudaFreeArray, one);

  cudaMipmappedArray_t mipmap = nullptr;
  WORKS(cudaMallocMipmappedArray, &mipmap, &ints, {4, 2, 0}, 9, 0);
  WORKS(cudaMipmappedArrayGetMemoryRequirements, &needs, mipmap, 0);
  EXPECT_EQ(needs.size, 44U);  // 4 x 2, 2 x 1 and 1 x 1
  WORKS(cudaGetMipmappedArrayLevel, &other, mipmap, 2);
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&other, mipmap, 3), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(other), cudaErrorInvalidResourceHandle);
  WORKS(cudaFreeMipmappedArray, mipmap);
  EXPECT_EQ(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

// Two processes are in tests/cells/programs_on_device_processes.cells; in its own a handle cannot be opened.
void call_interprocess() {
  cudaIpcMemHandle_t memory{};
  cudaIpcEventHandle_t handle{};
  cudaEvent_t event = nullptr, opened = nullptr;
  void *own = nullptr, *other = nullptr;
  ASSERT_EQ(cudaMalloc(&own, 64), cudaSuccess);
  WORKS(cudaIpcGetMemHandle, &memory, own);
  EXPECT_EQ(cudaIpcGetMemHandle(&memory, static_cast<char*>(own) + 8), cudaErrorInvalidValue);
  EXPECT_CALL(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle, &other, memory, cudaIpcMemLazyEnablePeerAccess);
  EXPECT_CALL(cudaErrorInvalidValue, cudaIpcCloseMemHandle, own);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming), cudaSuccess);
  WORKS(cudaIpcGetEventHandle, &handle, event);
  EXPECT_CALL(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle, &opened, handle);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  memory = {};
  EXPECT_EQ(cudaIpcOpenMemHandle(&other, memory, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaFree(own), cudaSuccess);
  cudaGetLastError();
}

void call_kernels(Memory& memory, cudaStream_t stream) {
  cudaKernel_t kernel = nullptr;
  cudaFuncAttributes attributes{};
  const char* name = nullptr;
  std::size_t offset = 0, size = 0, shared = 0;
  int value = 41, blocks = 0;
  void* arguments[] = {&memory.managed, &value};
  const dim3 one{1, 1, 1}, warp{32, 1, 1};
  WORKS(cudaGetKernel, &kernel, &fill);
  WORKS(__cudaGetKernel, &kernel, &fill);
  const auto runs = [&](int expected) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(memory.managed[31], expected);
    ++value;
  };
  WORKS(cudaLaunchKernel, &fill, one, warp, arguments, 0, stream);
  runs(41);
  WORKS(__cudaLaunchKernel, kernel, one, warp, arguments, 0, stream);
  runs(42);
  WORKS(cudaLaunchCooperativeKernel, &fill, one, warp, arguments, 0, stream);
  runs(43);
  cudaLaunchConfig_t config{};
  config.gridDim = one;
  config.blockDim = warp;
  WORKS(cudaLaunchKernelExC, &config, &fill, arguments);
  runs(44);
  dim3 grid, block;
  cudaStream_t on = nullptr;
  called_runtime().insert("__cudaPushCallConfiguration");
  EXPECT_EQ(__cudaPushCallConfiguration(one, warp, 8, stream), 0u);
  WORKS(__cudaPopCallConfiguration, &grid, &block, &shared, &on);
  EXPECT_TRUE(block.x == 32 && shared == 8 && on == stream);
  EXPECT_CALL(cudaErrorMissingConfiguration, __cudaPopCallConfiguration, &grid, &block, &shared, &on);
  WORKS(cudaFuncGetAttributes, &attributes, &fill);
  EXPECT_EQ(attributes.ptxVersion, 80);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  WORKS(cudaFuncGetName, &name, &fill);
  EXPECT_STREQ(name, "fill");
  WORKS(cudaFuncGetParamInfo, &fill, 1, &offset, &size);
  EXPECT_TRUE(offset == 8 && size == 4);
  WORKS(cudaFuncSetAttribute, &fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
  WORKS(cudaFuncSetCacheConfig, &fill, cudaFuncCachePreferL1);
  cudaFunction_t by_symbol = nullptr;
  cudaKernel_t of_symbol = nullptr;
  WORKS(cudaGetFuncBySymbol, &by_symbol, reinterpret_cast<const void*>(&fill));
  EXPECT_EQ(cudaGetKernel(&of_symbol, reinterpret_cast<const void*>(&fill)), cudaSuccess);
  EXPECT_EQ(static_cast<void*>(by_symbol), static_cast<void*>(of_symbol));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  WORKS(cudaFuncSetSharedMemConfig, &fill, cudaSharedMemBankSizeEightByte);
#pragma GCC diagnostic pop
  WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, &fill, 1024, 0);
  EXPECT_EQ(blocks, 2);
  WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, &fill, 512, 0, cudaOccupancyDefault);
  EXPECT_EQ(blocks, 4);
  WORKS(cudaOccupancyAvailableDynamicSMemPerBlock, &shared, &fill, 2, 1024);
  EXPECT_GT(shared, 48u << 10);
}

void call_libraries_of_kernels() {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  unsigned count = 0;
  void* address = nullptr;
  std::size_t bytes = 0;
  WORKS(cudaLibraryLoadData, &library, program_text(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  WORKS(cudaLibraryGetKernelCount, &count, library);
  EXPECT_EQ(count, 3u);
  std::vector<cudaKernel_t> kernels(count);
  WORKS(cudaLibraryEnumerateKernels, kernels.data(), count, library);
  WORKS(cudaLibraryGetKernel, &kernel, library, "fill");
  WORKS(cudaKernelSetAttributeForDevice, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10, 0);
  WORKS(cudaLibraryGetGlobal, &address, &bytes, library, "scale");
  WORKS(cudaLibraryGetManaged, &address, &bytes, library, "scale");
  EXPECT_TRUE(bytes == 4 && *static_cast<int*>(address) == 3);
  WORKS(cudaLibraryUnload, library);
  EXPECT_CALL(cudaErrorFileNotFound, cudaLibraryLoadFromFile, &library, "/nothing/here", nullptr, nullptr, 0, nullptr,
              nullptr, 0);
}

void count(void* calls) { ++*static_cast<int*>(calls); }
void count_for_stream(cudaStream_t, cudaError_t error, void* calls) {
  *static_cast<int*>(calls) += error == cudaSuccess;
}

void call_streams(Memory& memory, cudaStream_t& stream) {
  cudaStream_t other = nullptr;
  unsigned flags = 9;
  unsigned long long id = 0;
  int priority = 9, greatest = 9, device = 9, calls = 0;
  WORKS(cudaStreamCreateWithPriority, &other, cudaStreamNonBlocking, -1);
  WORKS(cudaStreamDestroy, other);
  WORKS(cudaStreamCreateWithFlags, &other, cudaStreamNonBlocking);
  WORKS(cudaStreamGetFlags, other, &flags);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  WORKS(cudaDeviceGetStreamPriorityRange, &priority, &greatest);
  WORKS(cudaStreamGetPriority, other, &priority);
  WORKS(cudaStreamGetId, other, &id);
  EXPECT_GT(id, 1u);
  cudaStreamAttrValue value{}, kept{};
  WORKS(cudaStreamGetAttribute, other, cudaStreamAttributeSynchronizationPolicy, &kept);
  EXPECT_EQ(kept.syncPolicy, cudaSyncPolicyAuto);
  WORKS(cudaStreamGetAttribute, other, cudaStreamAttributeMemSyncDomainMap, &kept);
  EXPECT_TRUE(kept.memSyncDomainMap.default_ == 0 && kept.memSyncDomainMap.remote == 1);
  value.accessPolicyWindow = {&flags, 64, 0.5F, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  WORKS(cudaStreamSetAttribute, other, cudaStreamAttributeAccessPolicyWindow, &value);
  WORKS(cudaStreamCopyAttributes, cudaStreamPerThread, other);
  WORKS(cudaStreamGetAttribute, cudaStreamPerThread, cudaStreamAttributeAccessPolicyWindow, &kept);
  EXPECT_EQ(kept.accessPolicyWindow.num_bytes, 64u);
  EXPECT_EQ(kept.accessPolicyWindow.base_ptr, &flags);
  value.accessPolicyWindow.hitRatio = 2;
  EXPECT_EQ(cudaStreamSetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &value), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSetAttribute(other, cudaLaunchAttributeCooperative, &value), cudaErrorInvalidValue);
  WORKS(cudaStreamGetDevice, other, &device);
  EXPECT_TRUE(device == 0 && priority == greatest);
  cudaEvent_t from = nullptr, to = nullptr;
  float time = -1;
  WORKS(cudaEventCreate, &from);
  WORKS(cudaEventCreateWithFlags, &to, cudaEventBlockingSync);
  WORKS(cudaEventRecord, from, stream);
  EXPECT_EQ(launch_fill(memory.managed, 5, 32, stream), cudaSuccess);
  WORKS(cudaEventRecordWithFlags, to, stream, cudaEventRecordDefault);
  WORKS(cudaStreamWaitEvent, other, to, 0);
  WORKS(cudaLaunchHostFunc, other, count, &calls);
  WORKS(cudaStreamAddCallback, other, count_for_stream, &calls, 0);
  WORKS(cudaStreamSynchronize, other);
  EXPECT_TRUE(calls == 2 && memory.managed[0] == 5);
  WORKS(cudaEventSynchronize, to);
  WORKS(cudaEventQuery, to);
  WORKS(cudaStreamQuery, stream);
  WORKS(cudaEventElapsedTime, &time, from, to);
  EXPECT_GE(time, 0);
  WORKS(cudaEventDestroy, from);
  WORKS(cudaEventDestroy, to);
}

void call_graphs(Memory& memory, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr, second = nullptr;
  cudaStreamCaptureStatus status{};
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  WORKS(cudaThreadExchangeStreamCaptureMode, &mode);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  memory.managed[0] = 0;
  WORKS(cudaStreamBeginCapture, stream, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(launch_fill(memory.managed, 77, 32, stream), cudaSuccess);
  WORKS(cudaStreamIsCapturing, stream, &status);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  WORKS(cudaStreamEndCapture, stream, &graph);
  EXPECT_EQ(memory.managed[0], 0);
  WORKS(cudaGraphInstantiate, &executable, graph, 0);
  WORKS(cudaGraphInstantiateWithFlags, &second, graph, 0);
  WORKS(cudaGraphUpload, executable, stream);
  WORKS(cudaGraphLaunch, executable, stream);
  WORKS(cudaStreamSynchronize, stream);
  EXPECT_EQ(memory.managed[0], 77);
  WORKS(cudaGraphExecDestroy, executable);
  WORKS(cudaGraphDestroy, graph);
}

void call_pools(cudaStream_t stream) {
  cudaMemPool_t usual = nullptr, own = nullptr;
  void* p = nullptr;
  std::uint64_t bytes = 1;
  WORKS(cudaDeviceGetDefaultMemPool, &usual, 0);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  WORKS(cudaMemPoolCreate, &own, &properties);
  WORKS(cudaDeviceSetMemPool, 0, own);
  cudaMemPool_t now = nullptr;
  WORKS(cudaDeviceGetMemPool, &now, 0);
  EXPECT_EQ(now, own);
  WORKS(cudaMallocAsync, &p, 1000, stream);
  WORKS(cudaMemPoolGetAttribute, own, cudaMemPoolAttrUsedMemCurrent, &bytes);
  EXPECT_EQ(bytes, 1000u);
  WORKS(cudaFreeAsync, p, stream);
  WORKS(cudaMallocFromPoolAsync, &p, 10, usual, stream);
  WORKS(cudaFreeAsync, p, stream);
  WORKS(cudaMemPoolSetAttribute, own, cudaMemPoolAttrReleaseThreshold, &bytes);
  WORKS(cudaMemPoolTrimTo, own, 0);
  cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  cudaMemAccessFlags access_flags{};
  WORKS(cudaMemPoolSetAccess, own, &access, 1);
  WORKS(cudaMemPoolGetAccess, &access_flags, own, &access.location);
  EXPECT_EQ(access_flags, cudaMemAccessFlagsProtReadWrite);
  access.flags = cudaMemAccessFlagsProtNone;
  EXPECT_EQ(cudaMemPoolSetAccess(own, &access, 1), cudaErrorInvalidValue);
  access.location.id = 1;
  EXPECT_EQ(cudaMemPoolSetAccess(own, &access, 1), cudaErrorInvalidDevice);
  WORKS(cudaMemPoolDestroy, own);
}

std::uint64_t used_of(cudaMemPool_t pool) {
  std::uint64_t bytes = 9;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes), cudaSuccess);
  return bytes;
}

void wait_until_true(void* flag) { static_cast<std::atomic<bool>*>(flag)->wait(false); }
void hold(cudaStream_t stream, std::atomic<bool>& released) {
  released = false;
  EXPECT_EQ(cudaLaunchHostFunc(stream, wait_until_true, &released), cudaSuccess);
}
void release(std::atomic<bool>& released) {
  released = true;
  released.notify_all();
}

// A piece is freed as often as it was imported, however the calls meet.
void free_imported(cudaMemPool_t pool, cudaMemPoolPtrExportData piece, cudaStream_t stream) {
  void *first = nullptr, *second = nullptr;
  std::atomic<bool> released{false};
  ASSERT_EQ(cudaMemPoolImportPointer(&first, pool, &piece), cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportPointer(&second, pool, &piece), cudaSuccess);
  hold(stream, released);
  EXPECT_EQ(cudaFreeAsync(first, stream), cudaSuccess);
  EXPECT_EQ(used_of(pool), 4000U);
  EXPECT_EQ(cudaFreeAsync(second, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(second, stream), cudaErrorInvalidValue);
  release(released);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(used_of(pool), 0U);

  ASSERT_EQ(cudaMemPoolImportPointer(&first, pool, &piece), cudaSuccess);
  hold(stream, released);
  cudaError_t results[2] = {};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = std::thread([&results, i, first] { results[i] = cudaFree(first); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // both wait for the stream, most likely
  release(released);
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE((results[0] == cudaSuccess) != (results[1] == cudaSuccess));
  EXPECT_TRUE(results[0] == cudaErrorInvalidValue || results[1] == cudaErrorInvalidValue);
  EXPECT_EQ(used_of(pool), 0U);
}

// Of another process in fact; here it is one that imports its own.
void call_shared_pools(cudaStream_t stream) {
  cudaMemPool_t usual = nullptr, own = nullptr, imported = nullptr, other = nullptr;
  cudaMemPoolPtrExportData piece{};
  void *p = nullptr, *same = nullptr, *again = nullptr;
  int descriptor = -1, types = 0;
  constexpr auto kFile = cudaMemHandleTypePosixFileDescriptor;
  ASSERT_EQ(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0), cudaSuccess);
  EXPECT_EQ(types, kFile);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&descriptor, usual, kFile, 0), cudaErrorInvalidValue);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.handleTypes = kFile;
  properties.location.type = cudaMemLocationTypeHost;
  EXPECT_EQ(cudaMemPoolCreate(&own, &properties), cudaErrorNotSupported);
  properties.location.type = cudaMemLocationTypeDevice;
  ASSERT_EQ(cudaMemPoolCreate(&own, &properties), cudaSuccess);
  WORKS(cudaMemPoolExportToShareableHandle, &descriptor, own, kFile, 0);
  EXPECT_EQ(pwrite(descriptor, "x", 1, 0), -1);  // nobody changes what it says
  const auto handle = [&] { return reinterpret_cast<void*>(std::intptr_t{descriptor}); };
  WORKS(cudaMemPoolImportFromShareableHandle, &imported, handle(), kFile, 0);
  EXPECT_EQ(cudaMallocFromPoolAsync(&p, 8, imported, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetMemPool(0, imported), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMallocFromPoolAsync(&p, 4000, own, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(p, 7, 4000, stream), cudaSuccess);
  WORKS(cudaMemPoolExportPointer, &piece, p);
  EXPECT_EQ(cudaMemPoolImportPointer(&same, own, &piece), cudaErrorInvalidValue);
  WORKS(cudaMemPoolImportPointer, &same, imported, &piece);
  EXPECT_EQ(used_of(imported), 4000U);
  ASSERT_EQ(cudaMemPoolImportPointer(&again, imported, &piece), cudaSuccess);
  EXPECT_EQ(used_of(imported), 8000U);
  EXPECT_TRUE(same != p && again == same);
  ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&other, handle(), kFile, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportPointer(&again, other, &piece), cudaSuccess);
  EXPECT_TRUE(again != same && used_of(other) == 4000U && used_of(imported) == 8000U);
  EXPECT_EQ(cudaFree(again), cudaSuccess);
  EXPECT_EQ(used_of(other), 0U);
  EXPECT_EQ(cudaMemPoolDestroy(other), cudaSuccess);
  char last = 0;
  ASSERT_EQ(cudaMemcpyAsync(&last, static_cast<char*>(same) + 3999, 1, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(last, 7);
  EXPECT_EQ(cudaMemPoolExportPointer(&piece, same), cudaErrorInvalidValue);  // it is another's
  EXPECT_EQ(cudaIpcCloseMemHandle(same), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(same, 0, 4001), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(same), cudaSuccess);
  EXPECT_EQ(used_of(imported), 4000U);
  EXPECT_EQ(cudaMemset(same, 9, 1), cudaSuccess);  // it was imported twice
  EXPECT_EQ(cudaFreeAsync(same, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(used_of(imported), 0U);
  EXPECT_EQ(cudaMemset(same, 0, 1), cudaErrorInvalidValue);
  free_imported(imported, piece, stream);
  // The same place, given anew to more: an import of the old size does not have it.
  ASSERT_EQ(cudaMemPoolImportPointer(&same, imported, &piece), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&p, 8000, own, stream), cudaSuccess);
  ASSERT_EQ(cudaMemPoolExportPointer(&piece, p), cudaSuccess);
  ASSERT_EQ(cudaMemPoolImportPointer(&again, imported, &piece), cudaSuccess);
  EXPECT_EQ(cudaMemset(again, 0, 8000), cudaSuccess);
  EXPECT_EQ(cudaFree(again), cudaSuccess);
  EXPECT_EQ(cudaFree(same), cudaSuccess);
  EXPECT_EQ(used_of(imported), 0U);
  EXPECT_EQ(cudaFreeAsync(p, stream), cudaSuccess);
  EXPECT_EQ(used_of(own), 0U);
  piece = {};
  EXPECT_EQ(cudaMemPoolImportPointer(&same, imported, &piece), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolDestroy(imported), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
  close(descriptor);
  descriptor = memfd_create("other", MFD_CLOEXEC);
  EXPECT_EQ(cudaMemPoolImportFromShareableHandle(&imported, handle(), kFile, 0), cudaErrorInvalidValue);
  close(descriptor);
  EXPECT_EQ(cudaMemPoolImportFromShareableHandle(&imported, handle(), kFile, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

void call_device() {
  int value = 9;
  unsigned flags = 9;
  std::size_t bytes = 0;
  char bus[20] = {};
  cudaDeviceProp properties{};
  cudaFuncCache cache{};
  WORKS(cudaGetDeviceCount, &value);
  EXPECT_EQ(value, 1);
  WORKS(cudaInitDevice, 0, 0, 0);
  WORKS(cudaSetDevice, 0);
  WORKS(cudaGetDevice, &value);
  EXPECT_EQ(value, 0);
  WORKS(cudaSetValidDevices, &value, 1);
  WORKS(cudaGetDeviceProperties, &properties, 0);
  EXPECT_TRUE(properties.major == 8 && properties.warpSize == 32 && properties.name[0] != 0);
  WORKS(cudaChooseDevice, &value, &properties);
  WORKS(cudaDeviceGetAttribute, &value, cudaDevAttrMaxThreadsPerBlock, 0);
  EXPECT_EQ(value, properties.maxThreadsPerBlock);
  WORKS(cudaDeviceGetPCIBusId, bus, sizeof bus, 0);
  int linked = 0;
  called_runtime().insert("cudaDeviceGetP2PAttribute");
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&linked, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidDevice);
  int by_bus = 9;
  WORKS(cudaDeviceGetByPCIBusId, &by_bus, bus);
  EXPECT_EQ(by_bus, 0);
  for (const char* same : {"0000:00:00", "00:00.0", "0:0:0.0"})
    EXPECT_EQ(cudaDeviceGetByPCIBusId(&by_bus, same), cudaSuccess) << same;
  for (const char* other : {"0000:01:00.0", "Af:0.0"})
    EXPECT_EQ(cudaDeviceGetByPCIBusId(&by_bus, other), cudaErrorInvalidDevice) << other;
  for (const char* wrong :
       {"gpu", "", "::", ":.", "0:", "00:00", "0:0:0.", "0::0.0", "0:0.0.0", "0:0:0:0", "0.0:0", "0x0:0.0", " 0:0.0"})
    EXPECT_EQ(cudaDeviceGetByPCIBusId(&by_bus, wrong), cudaErrorInvalidValue) << wrong;
  WORKS(cudaDeviceCanAccessPeer, &value, 0, 0);
  EXPECT_EQ(value, 0);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess, 1, 0);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess, 1);
  WORKS(cudaSetDeviceFlags, cudaDeviceScheduleSpin);
  WORKS(cudaGetDeviceFlags, &flags);
  EXPECT_EQ(flags & cudaDeviceScheduleMask, cudaDeviceScheduleSpin);
  WORKS(cudaDeviceSetLimit, cudaLimitMallocHeapSize, 16 << 20);
  WORKS(cudaDeviceGetLimit, &bytes, cudaLimitMallocHeapSize);
  EXPECT_EQ(bytes, 16u << 20);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitDevRuntimePendingLaunchCount), cudaSuccess);
  EXPECT_EQ(bytes, 4096u);
  WORKS(cudaDeviceSetCacheConfig, cudaFuncCachePreferShared);
  WORKS(cudaDeviceGetCacheConfig, &cache);
  EXPECT_EQ(cache, cudaFuncCachePreferShared);
  WORKS(cudaCtxResetPersistingL2Cache);
  cudaSharedMemConfig banks{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  WORKS(cudaDeviceSetSharedMemConfig, cudaSharedMemBankSizeEightByte);
  WORKS(cudaDeviceGetSharedMemConfig, &banks);
#pragma GCC diagnostic pop
  EXPECT_EQ(banks, cudaSharedMemBankSizeFourByte);
  WORKS(cudaRuntimeGetVersion, &value);
  EXPECT_EQ(value, CUDART_VERSION);
  WORKS(cudaDriverGetVersion, &value);
  WORKS(cudaProfilerStart);
  WORKS(cudaProfilerStop);
  void* function = &value;
  cudaDriverEntryPointQueryResult result{};
  WORKS(cudaGetDriverEntryPointByVersion, "cuInit", &function, 12000, cudaEnableDefault, &result);
  EXPECT_TRUE(function != nullptr && result == cudaDriverEntryPointSuccess);
  using Old = cudaError_t (*)(const char*, void**, unsigned long long, cudaDriverEntryPointQueryResult*);
  called_runtime().insert("cudaGetDriverEntryPoint");  // deprecated: the compiler warns of it
  EXPECT_EQ(reinterpret_cast<Old>(symbol("cudaGetDriverEntryPoint"))("cuInit", &function, 0, &result), cudaSuccess);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaGetLastError);  // of the peer
  WORKS(cudaPeekAtLastError);
  called_runtime().insert({"cudaGetErrorName", "cudaGetErrorString"});
  EXPECT_STREQ(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorNotReady), "device not ready");
  WORKS(cudaDeviceSynchronize);
}

TEST(EveryFunction, ThatIsThereDoesItsWork) {
  called_runtime().insert(
      {"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaRegisterFunction", "__cudaRegisterVar"});
  void** handle = program();
  static void* managed = nullptr;
  __cudaRegisterManagedVar(handle, &managed, nullptr, "scale", 0, 4, 0, 0);
  called_runtime().insert({"__cudaRegisterManagedVar", "__cudaInitModule"});
  EXPECT_EQ(__cudaInitModule(handle), 1);
  ASSERT_NE(managed, nullptr);
  EXPECT_EQ(*static_cast<int*>(managed), 3);

  Memory memory;
  cudaStream_t stream = nullptr;
  WORKS(cudaStreamCreate, &stream);
  call_device();
  call_memory(memory);
  call_copies(memory, stream);
  call_arrays(memory, stream);
  call_interprocess();
  call_kernels(memory, stream);
  call_libraries_of_kernels();
  call_streams(memory, stream);
  call_graphs(memory, stream);
  call_graphs_by_hand(stream);
  call_captures(stream);
  call_managed(stream);
  call_pools(stream);
  call_shared_pools(stream);
  WORKS(cudaDeviceReset);
  called_runtime().insert("__cudaUnregisterFatBinary");
  __cudaUnregisterFatBinary(__cudaRegisterFatBinary(nullptr));
  for (const Row& row : kRows) {
    EXPECT_TRUE(row.state != Row::State::there || called_runtime().contains(row.name)) << row.name << " was not called";
  }
}

template <class Function> Function* of_thread(Function*, const char* name) {
  auto* const found = reinterpret_cast<Function*>(symbol(name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}
#define OF_THREAD(name, ending) of_thread(&name, #name ending)

// The names for programs with a default stream of each thread: the null stream is the thread's own.
TEST(EveryFunction, HasANameForThreadsWithTheirOwnDefaultStream) {
  program();
  unsigned long long of_all = 0, own = 0, per_thread = 0;
  ASSERT_EQ(cudaStreamGetId(nullptr, &of_all), cudaSuccess);
  ASSERT_EQ(OF_THREAD(cudaStreamGetId, "_ptsz")(nullptr, &own), cudaSuccess);
  ASSERT_EQ(cudaStreamGetId(cudaStreamPerThread, &per_thread), cudaSuccess);
  EXPECT_NE(own, of_all);
  EXPECT_EQ(own, per_thread);

  int *p = nullptr, value = 0;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 128), cudaSuccess);
  EXPECT_EQ(launch_fill(p, 6, 32), cudaSuccess);
  EXPECT_EQ(OF_THREAD(cudaMemcpyAsync, "_ptsz")(&value, p, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(OF_THREAD(cudaStreamSynchronize, "_ptsz")(nullptr), cudaSuccess);
  EXPECT_EQ(value, 6);
  EXPECT_EQ(OF_THREAD(cudaMemset, "_ptds")(p, 1, 4), cudaSuccess);
  EXPECT_EQ(OF_THREAD(cudaMemcpy, "_ptds")(&value, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 0x01010101);

  // The default stream of all threads cannot be captured.
  cudaGraph_t graph = nullptr;
  std::size_t nodes = 0;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  ASSERT_EQ(OF_THREAD(cudaStreamBeginCapture, "_ptsz")(nullptr, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(OF_THREAD(cudaMemsetAsync, "_ptsz")(p, 2, 4, nullptr), cudaSuccess);
  ASSERT_EQ(OF_THREAD(cudaStreamEndCapture, "_ptsz")(nullptr, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1U);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  cudaGetLastError();
}

}  // namespace
}  // namespace xcuda::test
