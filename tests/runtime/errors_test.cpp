// What programs are told when something is wrong.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

class Errors : public ::testing::Test {
 protected:
  void SetUp() override {
    program();
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    cudaGetLastError();
  }
};

TEST_F(Errors, ALaunchThatCannotBeIsToldAtOnce) {
  int* p = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 4096), cudaSuccess);
  EXPECT_EQ(launch_fill(p, 1, 2000), cudaErrorInvalidValue);
  EXPECT_EQ(launch_fill(p, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&missing, dim3{}, dim3{}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  int local = 0;
  cudaFuncAttributes attributes;
  const char* name = nullptr;
  EXPECT_EQ(cudaLaunchKernel(&local, dim3{}, dim3{}, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &local), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncSetCacheConfig(&local, cudaFuncCachePreferNone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncGetName(&name, &local), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(nullptr, dim3{}, dim3{}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncSetAttribute(&fill, static_cast<cudaFuncAttribute>(99), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&fill, cudaFuncAttributeRequiredClusterWidth, 2), cudaErrorNotSupported);
  // Nothing of this ends the device.
  EXPECT_EQ(launch_fill(p, 7, 32), cudaSuccess);
  int value = 0;
  EXPECT_EQ(cudaMemcpy(&value, p + 31, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 7);
}

TEST_F(Errors, AFaultStaysUntilTheDeviceIsReset) {
  int* p = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 100), cudaSuccess);
  ASSERT_EQ(launch_fill(p, 1, 26), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // it is taken, and the next call fails for it again
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  void* q = nullptr;
  EXPECT_EQ(cudaMalloc(&q, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(launch_fill(p, 1, 1), cudaErrorIllegalAddress);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);  // as on a GPU, which keeps it, too
  EXPECT_EQ(cudaMalloc(&q, 4), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(launch_fill(static_cast<int*>(q), 5, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Whichever comes first: the call that the ended device refuses, or what it says of the kernel.
TEST_F(Errors, ACallThatComesJustAfterAFaultTellsOfTheFault) {
  for (int round = 0; round < 20; ++round) {
    int* p = nullptr;
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 100), cudaSuccess);
    auto error = launch_fill(p, 1, 26);  // the kernel may have ended by then
    std::size_t bytes = 0;
    while (error == cudaSuccess) error = cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
    EXPECT_EQ(error, cudaErrorIllegalAddress);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  }
}

TEST_F(Errors, ATrapIsALaunchFailure) {
  ASSERT_EQ(cudaLaunchKernel(&trapping, dim3{}, dim3{}, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

// Even if the kernel ends at once: on one processor, the thread that launches it gives way to those that run it.
TEST_F(Errors, ALaunchDoesNotAnswerWithWhatItsKernelDid) {
  ASSERT_EQ(cudaLaunchKernel(&trapping, dim3{}, dim3{}, nullptr, 0, nullptr), cudaSuccess);  // compiles the kernel
  ASSERT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);  // threads of the device begin, as this one is
    const sched_param none{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &none), 0);
    EXPECT_EQ(cudaLaunchKernel(&trapping, dim3{}, dim3{}, nullptr, 0, nullptr), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  }).join();
}

TEST_F(Errors, CopiesAreChecked) {
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 100), cudaSuccess);
  char host[200] = {};
  EXPECT_EQ(cudaMemcpy(p, host, 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(p, host, 0, static_cast<cudaMemcpyKind>(7)), cudaSuccess);
  host[0] = 5;
  EXPECT_EQ(cudaMemcpy(p, host, 4, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(static_cast<char*>(p) + 8, p, 4, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host + 1, static_cast<char*>(p) + 8, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host[1], 5);
  EXPECT_EQ(cudaMemcpy2D(p, 4, host, 10, 10, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(p, 4, 0, 10, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(static_cast<char*>(p) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST_F(Errors, ABatchOfCopiesSaysWhenItsSourcesAreRead) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  int* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&memory), 4 * sizeof(int), cudaMemAttachGlobal), cudaSuccess);
  int *const from = memory, *const to = memory + 2;
  void* const into[] = {to, to + 1};
  const void* const out[] = {from, from + 1};
  const std::size_t bytes[] = {sizeof(int), sizeof(int)};
  std::size_t starts[] = {0, 1};
  cudaMemcpyAttributes when[2] = {};
  const auto copy = [&](int first, int second) {
    when[0].srcAccessOrder = static_cast<cudaMemcpySrcAccessOrder>(first);
    when[1].srcAccessOrder = static_cast<cudaMemcpySrcAccessOrder>(second);
    return cudaMemcpyBatchAsync(into, out, bytes, 2, when, starts, 2, stream);
  };
  from[0] = from[1] = 5;
  to[0] = to[1] = 0;
  for (const int order : {0, 4, 0x7fffffff})
    EXPECT_EQ(copy(cudaMemcpySrcAccessOrderStream, order), cudaErrorInvalidValue) << order;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(to[0] == 0 && to[1] == 0);  // nothing was copied
  EXPECT_EQ(copy(cudaMemcpySrcAccessOrderStream, cudaMemcpySrcAccessOrderAny), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(to[0] == 5 && to[1] == 5);

  // The stream is busy when the call is made, and the sources change when it returns.
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  ASSERT_EQ(cudaLaunchHostFunc(stream, sleep, nullptr), cudaSuccess);
  from[0] = from[1] = 6;
  EXPECT_EQ(copy(cudaMemcpySrcAccessOrderStream, cudaMemcpySrcAccessOrderDuringApiCall), cudaSuccess);
  from[1] = 7;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(to[0] == 6 && to[1] == 6);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Errors, MemoryIsFreedOnceAlsoBeforeItsStreamComesToIt) {
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  void* p = nullptr;
  std::uint64_t used = 1;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  std::atomic<bool> go_on = false;
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  ASSERT_EQ(cudaMallocAsync(&p, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream, wait, &go_on), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 0U);
  go_on = true;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, stream), cudaErrorInvalidValue);
  for (int i = 0; i < 2; ++i) {  // the address may come again
    EXPECT_EQ(cudaMallocAsync(&p, 64, stream), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(p, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Errors, MoreMemoryThanThereIsCannotBeHad) {
  void* p = &p;
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 46), cudaErrorMemoryAllocation);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
}

TEST_F(Errors, MemoryIsRegisteredOnceAndAsAWhole) {
  void *p = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 4096), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 4096), cudaSuccess);
  std::vector<char> host(8192);
  EXPECT_EQ(cudaHostRegister(host.data(), 8192, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host.data() + 4096, 4096, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(host.data() + 4096), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostRegister(p, 4096, cudaHostRegisterDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(pinned, 4096, cudaHostRegisterDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(pinned), cudaErrorInvalidValue);
}

TEST_F(Errors, ManagedMemoryIsAttachedAsAWholeToOneOfThreePlaces) {
  void *p = &p, *device = nullptr;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  ASSERT_EQ(cudaMallocManaged(&p, 4096, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 4096), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  for (const unsigned flags : {cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle})
    EXPECT_EQ(cudaStreamAttachMemAsync(stream, p, 4096, flags), cudaSuccess) << flags;
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, p, 0, 9), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, p, 64, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, static_cast<char*>(p) + 64, 0, cudaMemAttachGlobal),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachHost), cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Errors, TheDeviceIsNotItsOwnPeerAndHasLimits) {
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
  std::size_t bytes = 0;
  EXPECT_EQ(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(99)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 65536), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(bytes, 65536U);
}

TEST_F(Errors, TexturesOfMemoryAreAlignedAndNormalizeIntegers) {
  float* p = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&p), 4096), cudaSuccess);
  cudaTextureObject_t texture = 0;
  cudaTextureDesc sampling{};
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  const auto create = [&](float* from, int bits = 32, cudaChannelFormatKind kind = cudaChannelFormatKindFloat) {
    resource.res.linear.devPtr = from;
    resource.res.linear.desc = {bits, 0, 0, 0, kind};
    resource.res.linear.sizeInBytes = 1024;
    return cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
  };
  EXPECT_EQ(create(p + 1), cudaErrorInvalidValue);
  int alignment = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, 0), cudaSuccess);
  EXPECT_EQ(create(p + static_cast<std::size_t>(alignment) / sizeof *p), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  sampling.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(create(p), cudaErrorInvalidNormSetting);
  EXPECT_EQ(create(p, 16), cudaErrorInvalidNormSetting);
  EXPECT_EQ(create(p, 32, cudaChannelFormatKindSigned), cudaErrorInvalidNormSetting);
  EXPECT_EQ(create(p, 16, cudaChannelFormatKindSigned), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
}

TEST_F(Errors, HandlesThatAreNotAreRefused) {
  int something = 0;
  auto* stream = reinterpret_cast<cudaStream_t>(&something);
  auto* event = reinterpret_cast<cudaEvent_t>(&something);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(&something), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
}

TEST_F(Errors, HaveCudasNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST_F(Errors, ACaptureRefusesToWait) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
}

// As a GPU has it: what a capture does not take is an error, and makes the capture invalid.
class Captures : public Errors {
 protected:
  void SetUp() override {
    Errors::SetUp();
    for (auto* one : {&stream_, &other_}) ASSERT_EQ(cudaStreamCreate(one), cudaSuccess);
    for (auto* one : {&before_, &within_}) ASSERT_EQ(cudaEventCreate(one), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&memory_, 64), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(before_, other_), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  cudaError_t end() {
    cudaGraph_t graph = nullptr;
    const auto error = cudaStreamEndCapture(stream_, &graph);
    EXPECT_EQ(graph != nullptr, error == cudaSuccess);
    if (graph != nullptr) {
      EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    }
    cudaStreamCaptureStatus status{};
    EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
    EXPECT_EQ(status,
              error == cudaErrorStreamCaptureWrongThread ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone);
    return error;
  }
  void expect_refused(cudaError_t expected, const std::function<cudaError_t()>& call) {
    begin();
    EXPECT_EQ(call(), expected);
    EXPECT_EQ(cudaMemsetAsync(memory_, 0, 4, stream_), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t before_ = nullptr, within_ = nullptr;
  void* memory_ = nullptr;
};

TEST_F(Captures, RefuseWhatWaits) {
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamQuery(stream_); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [] { return cudaDeviceSynchronize(); });
  expect_refused(cudaErrorCapturedEvent, [&] {
    EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
    return cudaEventQuery(within_);
  });
}

constexpr cudaStreamCallback_t kNothing = [](cudaStream_t, cudaError_t, void*) {};

TEST_F(Captures, RefuseWhatIsNotANode) {
  expect_refused(cudaErrorStreamCaptureUnsupported,
                 [&] { return cudaStreamAddCallback(stream_, kNothing, nullptr, 0); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaFreeAsync(memory_, stream_); });
}

TEST_F(Captures, TakeNothingOnceTheyAreInvalid) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  void* more = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaMallocAsync(&more, 4, stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  expect_refused(cudaErrorStreamCaptureImplicit, [&] { return cudaGraphLaunch(executable, nullptr); });
}

TEST_F(Captures, RefuseTheDefaultStreamWhichWaitsForThem) {
  int value = 0;
  expect_refused(cudaErrorStreamCaptureImplicit,
                 [&] { return cudaMemcpy(&value, memory_, 4, cudaMemcpyDeviceToHost); });
  expect_refused(cudaErrorStreamCaptureImplicit, [&] { return cudaMemsetAsync(memory_, 0, 4, nullptr); });
  expect_refused(cudaErrorStreamCaptureImplicit, [&] { return cudaEventRecord(before_, nullptr); });
  expect_refused(cudaErrorStreamCaptureImplicit, [] { return cudaStreamSynchronize(nullptr); });
  expect_refused(cudaErrorStreamCaptureImplicit, [] { return cudaStreamQuery(nullptr); });
  expect_refused(cudaErrorStreamCaptureImplicit, [] { return cudaStreamAddCallback(nullptr, kNothing, nullptr, 0); });
  void *more = nullptr, *managed = nullptr;
  expect_refused(cudaErrorStreamCaptureImplicit, [&] { return cudaMallocAsync(&more, 4, nullptr); });
  expect_refused(cudaErrorStreamCaptureImplicit, [&] { return cudaFreeAsync(memory_, nullptr); });
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
  expect_refused(cudaErrorStreamCaptureImplicit, [&] {
    return cudaMemPrefetchAsync(managed, 64, {.type = cudaMemLocationTypeDevice, .id = 0}, 0, nullptr);
  });
  cudaStream_t apart = nullptr;  // for which it does not wait
  ASSERT_EQ(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking), cudaSuccess);
  std::swap(apart, stream_);
  begin();
  EXPECT_EQ(cudaMemcpy(&value, memory_, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(Captures, RefuseWhatIsNotSafeUnlessTheyAreRelaxed) {
  void* more = nullptr;
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaMalloc(&more, 4); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaHostAlloc(&more, 4, 0); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaFree(memory_); });
  const auto floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  const cudaExtent extent{4, 4, 0};
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &floats, 4, 4, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocMipmappedArray(&mipmap, &floats, extent, 2, 0), cudaSuccess);
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaFreeArray(array); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaFreeMipmappedArray(mipmap); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaMallocArray(&array, &floats, 4, 4, 0); });
  expect_refused(cudaErrorStreamCaptureUnsupported,
                 [&] { return cudaMallocMipmappedArray(&mipmap, &floats, extent, 2, 0); });
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return cudaEventQuery(before_); });
  const auto elsewhere = [](const std::function<cudaError_t()>& call) {
    auto error = cudaSuccess;
    std::thread([&] { error = call(); }).join();
    return error;
  };
  const auto allocate = [&] { return cudaMalloc(&more, 4); };
  expect_refused(cudaErrorStreamCaptureUnsupported, [&] { return elsewhere(allocate); });
  begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(elsewhere(allocate), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_EQ(elsewhere([&] { return end(); }), cudaSuccess);
  begin();
  EXPECT_EQ(elsewhere([&] { return end(); }), cudaErrorStreamCaptureWrongThread);
  auto mode = cudaStreamCaptureModeRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(Captures, EndWithALaunchThatCannotBe) {
  expect_refused(cudaErrorInvalidValue, [&] { return launch_fill(static_cast<int*>(memory_), 1, 2000, stream_); });
  begin();
  EXPECT_EQ(launch_fill(static_cast<int*>(memory_), 1, 2000, other_), cudaErrorInvalidValue);
  EXPECT_EQ(end(), cudaSuccess);  // that was another stream's
}

TEST_F(Captures, AreNotEndedByAStreamThatJoinedThem) {
  expect_refused(cudaErrorStreamCaptureUnmatched, [&] {
    EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaSuccess);
    cudaGraph_t graph = nullptr;
    return cudaStreamEndCapture(other_, &graph);
  });
}

// As what ends a capture looks at the last nodes of all its streams.
TEST_F(Captures, GoOnWithoutNodesThatAreDestroyed) {
  const cudaGraphNode_t* nodes = nullptr;
  cudaStreamCaptureStatus status{};
  std::size_t count = 0;
  const auto ask = [&](cudaStream_t stream) {
    EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count), cudaSuccess);
  };
  begin();
  EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaSuccess);
  for (auto* one : {stream_, other_}) {
    EXPECT_EQ(cudaMemsetAsync(memory_, 0, 4, one), cudaSuccess);
    ask(one);
    ASSERT_EQ(count, 1U);
    EXPECT_EQ(cudaGraphDestroyNode(nodes[0]), cudaSuccess);
    ask(one);
    EXPECT_EQ(count, 0U);
  }
  EXPECT_EQ(cudaMemsetAsync(memory_, 0, 4, other_), cudaSuccess);
  ask(other_);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(cudaGraphDestroyNode(nodes[0]), cudaSuccess);  // which the end of the capture is the first to look at
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(Captures, BeginAndEndWhileOtherThreadsAllocate) {
  std::atomic<bool> ended{false};
  std::thread other([&] {
    while (!ended) {
      void* more = nullptr;
      EXPECT_EQ(cudaMalloc(&more, 4), cudaSuccess);
      EXPECT_EQ(cudaFree(more), cudaSuccess);
    }
  });
  for (int i = 0; i < 300; ++i) {
    begin(cudaStreamCaptureModeThreadLocal);
    EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaSuccess);
    EXPECT_EQ(end(), cudaSuccess);
  }
  ended = true;
  other.join();
}

TEST_F(Captures, AreNotChangedByQuestionsOnceTheyHaveEnded) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const auto capture = [&] {
    ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
              cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory_, 0, 4, stream_), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  };
  capture();
  EXPECT_EQ(cudaEventQuery(within_), cudaErrorCapturedEvent);
  capture();
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Captures, KeepTheirBounds) {
  expect_refused(cudaErrorStreamCaptureIsolation, [&] { return cudaStreamWaitEvent(stream_, before_, 0); });
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, within_, 0), cudaSuccess);  // which was never recorded
  EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory_, 0, 4, other_), cudaSuccess);
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
  begin();
  EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaErrorCapturedEvent);  // of a capture that has ended
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  begin();
  EXPECT_EQ(cudaEventRecord(within_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(other_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, within_, 0), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  std::swap(stream_, other_);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

}  // namespace
}  // namespace xcuda::test
