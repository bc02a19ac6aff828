// Memory that a program maps by hand and words that its streams wait for, with resets and threads between them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "runtime/driver/driver_api.hpp"
#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

class DriverMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t kGrain = std::size_t{2} << 20;  // bytes

  void SetUp() override {
    program();
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    ASSERT_EQ(cuMemAddressReserve(&base_, 2 * kGrain, 0, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemAddressFree(base_, 2 * kGrain), CUDA_SUCCESS);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  }

  // Memory of the given place, where host and device may write.
  int* map(CUdeviceptr at, CUmemLocationType type) {
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = type;
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, kGrain, &wanted, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(at, kGrain, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_EQ(cuMemSetAccess(at, kGrain, &access, 1), CUDA_SUCCESS);
    return reinterpret_cast<int*>(at);
  }
  static CUdeviceptr new_word(std::uint64_t value) {
    void* word = nullptr;
    EXPECT_EQ(cudaMallocManaged(&word, 8, cudaMemAttachGlobal), cudaSuccess);
    *static_cast<std::uint64_t*>(word) = value;
    return reinterpret_cast<CUdeviceptr>(word);
  }

  CUdeviceptr base_ = 0;
};

TEST_F(DriverMemory, StaysMappedWhenTheDeviceIsReset) {
  int* const mapped = map(base_, CU_MEM_LOCATION_TYPE_DEVICE);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(launch_fill(mapped, 5, 4), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(mapped[3], 0);
  EXPECT_EQ(cuMemUnmap(base_, kGrain), CUDA_SUCCESS);
}

TEST_F(DriverMemory, OfTheHostIsTheHosts) {
  int* const of_device = map(base_, CU_MEM_LOCATION_TYPE_DEVICE);
  int* const of_host = map(base_ + kGrain, CU_MEM_LOCATION_TYPE_HOST);  // side by side
  of_host[0] = 7;
  cudaPointerAttributes about{};
  EXPECT_EQ(cudaPointerGetAttributes(&about, of_device), cudaSuccess);
  EXPECT_EQ(about.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaPointerGetAttributes(&about, of_host), cudaSuccess);
  EXPECT_EQ(about.type, cudaMemoryTypeHost);
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base_ + kGrain), CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_EQ(cudaMemcpy(of_device, of_host, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(of_device[0], 7);
  EXPECT_EQ(cudaMemcpy(of_host, of_device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cuMemUnmap(base_, 2 * kGrain), CUDA_SUCCESS);
}

TEST_F(DriverMemory, IsReservedElsewhereWhereItIsTaken) {
  CUdeviceptr other = 0;
  ASSERT_EQ(cuMemAddressReserve(&other, kGrain, 0, base_, 0), CUDA_SUCCESS);
  EXPECT_TRUE(other + kGrain <= base_ || other >= base_ + 2 * kGrain);
  EXPECT_EQ(cuMemAddressFree(other, kGrain), CUDA_SUCCESS);
}

// What unmaps waits for a stream, and that for a thread which maps memory first.
TEST_F(DriverMemory, IsMappedWhileAnotherThreadWaitsToUnmap) {
  map(base_, CU_MEM_LOCATION_TYPE_DEVICE);
  const auto word = new_word(0);
  ASSERT_EQ(cuStreamWaitValue32_v2(nullptr, word, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  std::thread unmaps([&] { EXPECT_EQ(cuMemUnmap(base_, kGrain), CUDA_SUCCESS); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  map(base_ + kGrain, CU_MEM_LOCATION_TYPE_DEVICE);
  *reinterpret_cast<volatile std::uint32_t*>(word) = 1;
  unmaps.join();
  EXPECT_EQ(cuMemUnmap(base_ + kGrain, kGrain), CUDA_SUCCESS);
}

TEST_F(DriverMemory, HasWordsToWaitForAfterAReset) {
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, new_word(5), 5, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cuStreamWaitValue64_v2(nullptr, new_word(6), 6, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace xcuda::test
