// What programs are told when something is wrong.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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
  EXPECT_EQ(launch_fill(p, 1, 2000), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_fill(p, 1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&missing, dim3{}, dim3{}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  int local = 0;
  EXPECT_EQ(cudaLaunchKernel(&local, dim3{}, dim3{}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
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
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  void* q = nullptr;
  EXPECT_EQ(cudaMalloc(&q, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(launch_fill(p, 1, 1), cudaErrorIllegalAddress);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&q, 4), cudaSuccess);
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

TEST_F(Errors, CopiesAreChecked) {
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 100), cudaSuccess);
  char host[200] = {};
  EXPECT_EQ(cudaMemcpy(p, host, 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy2D(p, 4, host, 10, 10, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
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

TEST_F(Errors, MoreMemoryThanThereIsCannotBeHad) {
  void* p = &p;
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 46), cudaErrorMemoryAllocation);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
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

}  // namespace
}  // namespace xcuda::test
