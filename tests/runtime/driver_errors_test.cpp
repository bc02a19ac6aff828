// What programs of the Driver API are told when something is wrong.
#include <gtest/gtest.h>

#include <thread>

#include "runtime/driver/driver_api.hpp"
#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

TEST(DriverErrors, WorkNeedsAContextOfTheThread) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  std::thread([] {
    CUdeviceptr address = 0;
    CUcontext context = nullptr;
    EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);  // the CUDA Runtime makes the primary one current
    EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
  }).join();
}

// Streams and events have a context of their own.
TEST(DriverErrors, DoNotCountTheContextOfTheThreadForAStream) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  CUstream stream = nullptr;
  CUevent first = nullptr, second = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&first, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&second, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  CUdeviceptr kept = 0;
  ASSERT_EQ(cuMemAlloc_v2(&kept, 64), CUDA_SUCCESS);
  std::thread([=] {
    float milliseconds = -1;
    CUdeviceptr address = 0;
    EXPECT_EQ(cuEventRecord(first, nullptr), CUDA_ERROR_INVALID_CONTEXT);  // whose default stream?
    EXPECT_EQ(cuEventRecord(first, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocAsync(&address, 64, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(second, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventQuery(second), CUDA_SUCCESS);
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, first, second), CUDA_SUCCESS);
    EXPECT_GE(milliseconds, 0);
    EXPECT_EQ(cuEventDestroy_v2(first), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(second), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(kept), CUDA_SUCCESS);  // and so has memory
    EXPECT_EQ(cuMemFree_v2(kept), CUDA_ERROR_INVALID_VALUE);
  }).join();
}

TEST(DriverErrors, DoNotCountTheContextOfTheThreadForThatOfAStream) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  std::thread([] {
    CUcontext first = nullptr, second = nullptr, primary = nullptr, found = nullptr;
    CUstream in_first = nullptr, in_primary = nullptr, of_runtime = nullptr;
    ASSERT_EQ(cuCtxCreate_v2(&first, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&in_first, 0), CUDA_SUCCESS);
    ASSERT_EQ(cudaStreamCreate(&of_runtime), cudaSuccess);
    ASSERT_EQ(cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxPushCurrent_v2(primary), CUDA_SUCCESS);
    ASSERT_EQ(cudaStreamCreate(&in_primary), cudaSuccess);
    ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
    const auto expect_contexts = [&] {
      EXPECT_EQ(cuStreamGetCtx(in_first, &found), CUDA_SUCCESS);
      EXPECT_EQ(found, first);
      EXPECT_EQ(cuStreamGetCtx(of_runtime, &found), CUDA_SUCCESS);
      EXPECT_EQ(found, first);
      EXPECT_EQ(cuStreamGetCtx(in_primary, &found), CUDA_SUCCESS);
      EXPECT_EQ(found, primary);
    };
    expect_contexts();
    EXPECT_EQ(cuStreamGetCtx(nullptr, &found), CUDA_SUCCESS);
    EXPECT_EQ(found, second);
    EXPECT_EQ(cuStreamGetCtx(in_first, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamGetCtx(reinterpret_cast<CUstream>(&found), &found), CUDA_ERROR_INVALID_HANDLE);
    std::thread([&] {  // without a current context
      expect_contexts();
      EXPECT_EQ(cuStreamGetCtx(nullptr, &found), CUDA_ERROR_INVALID_CONTEXT);
    })
        .join();
    for (CUstream stream : {in_first, in_primary, of_runtime}) EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(first), CUDA_SUCCESS);
  }).join();
}

TEST(DriverErrors, SayThatAContextIsGone) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  std::thread([] {
    CUcontext context = nullptr, found = nullptr;
    CUgreenCtx green = nullptr;
    CUstream stream = nullptr;
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamGetCtx_v2(stream, &found, &green), CUDA_SUCCESS);
    EXPECT_TRUE(found == context && green == nullptr);
    std::thread([&] { EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS); }).join();
    found = nullptr;
    EXPECT_EQ(cuStreamGetCtx(stream, &found), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuStreamGetCtx_v2(stream, &found, &green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);  // it is still this thread's
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST(DriverErrors, AreNotThoseOfTheRuntime) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(cuMemFree_v2(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(DriverErrors, MachineCodeIsRefusedByName) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  CUmodule module = nullptr;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module,
                             "\x7f"
                             "ELF..."),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("machine code of a GPU (a CUBIN)"), std::string::npos);
  EXPECT_EQ(cuModuleLoad(&module, "/nothing/here"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(reinterpret_cast<CUmodule>(&module)), CUDA_ERROR_INVALID_HANDLE);
}

TEST(DriverErrors, AFaultStaysUntilTheContextIsReset) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, program_text()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "trapping"), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_LAUNCH_FAILED);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xcuda::test
