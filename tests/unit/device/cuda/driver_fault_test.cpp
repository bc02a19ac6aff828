// Errors that are the GPU's own and no kernel's, and a GPU that somebody else has.
#include "device/cuda/driver_fault.hpp"

#include <gtest/gtest.h>

#include "device/cuda/cuda_device.hpp"
#include "tests/unit/device/cuda/quiet_driver.hpp"

namespace xcuda::device::cuda {
namespace {

TEST(DriverFault, HardwareEndsTheContext) {
  for (const int result : {214, 220, 226, 911}) {  // memory, NVLink, contained, external device
    EXPECT_EQ(fault_kind(static_cast<CUresult>(result)), FaultKind::hardware) << result;
    EXPECT_TRUE(ends_context(static_cast<CUresult>(result))) << result;
  }
  EXPECT_FALSE(ends_context(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(ends_context(CUDA_ERROR_INVALID_VALUE));
}

TEST(DriverFault, MemoryThatFailsIsTold) {
  Driver driver = quiet_driver();
  driver.cuGetErrorString = driver.cuGetErrorName;
  const auto device = make_cuda_device(driver, StartRequest{}, 0);
  driver.cuCtxSynchronize = [] { return CUDA_ERROR_ECC_UNCORRECTABLE; };
  const auto completion = device->synchronize({});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::hardware);
  EXPECT_EQ(completion.fault->library, "CUDA_ERROR_OF_A_TEST (214): CUDA_ERROR_OF_A_TEST");
}

TEST(DriverFault, AContextThatCannotBeMadeSaysWhoseTheGpuIs) {
  static CUresult said;
  Driver driver = quiet_driver();
  driver.cuGetErrorString = driver.cuGetErrorName;
  driver.cuDevicePrimaryCtxRetain = [](CUcontext*, CUdevice) { return said; };
  const auto advice = [&](CUresult result) {
    said = result;
    try {
      make_cuda_device(driver, StartRequest{}, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.message, "cannot create a context on the GPU");
      return error.advice;
    }
    ADD_FAILURE() << "a context is made";
    return std::string();
  };
  EXPECT_TRUE(advice(CUDA_ERROR_OUT_OF_MEMORY).starts_with("other processes hold the GPU's memory"));
  EXPECT_TRUE(advice(CUDA_ERROR_DEVICE_UNAVAILABLE).starts_with("another process has the GPU for itself"));
  EXPECT_TRUE(advice(CUDA_ERROR_ECC_UNCORRECTABLE).starts_with("The GPU itself reports this"));
  EXPECT_EQ(advice(CUDA_ERROR_INVALID_VALUE), "");
}

}  // namespace
}  // namespace xcuda::device::cuda
