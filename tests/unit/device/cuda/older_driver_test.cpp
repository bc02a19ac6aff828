// A driver that is older than the toolkit cannot translate the PTX of its compiler: what is compiled for the GPU that
// it describes is machine code, and that is what it is given.
#include <gtest/gtest.h>

#include <cstring>

#include "device/cuda/cuda_device.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"
#include "tests/unit/device/cuda/quiet_driver.hpp"

namespace xcuda::device::cuda {
namespace {

constexpr unsigned char kElf[] = {0x7F, 'E', 'L', 'F'};

Driver older_driver() {
  Driver driver = quiet_driver();
  driver.cuDriverGetVersion = [](int* version) {
    *version = 12'000;
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorString = driver.cuGetErrorName;
  driver.cuModuleLoadDataEx = [](CUmodule*, const void* image, auto, auto*, void**) {
    return std::memcmp(image, kElf, sizeof kElf) == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  };
  return driver;
}

using OlderDriver = compiler::WithToolkit;

TEST_F(OlderDriver, IsGivenMachineCode) {
  const Driver driver = older_driver();
  const auto device = make_cuda_device(driver, StartRequest{}, 0);
  const auto info = device->info();
  EXPECT_TRUE(info.driver.starts_with("12.0")) << info.driver;
  EXPECT_EQ(info.architecture, "sm_90");
  auto request = compiler::request_of("__global__ void k(float* y) { *y = 1; }\n");
  request.architecture = info.architecture;
  const auto output = compiler::machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_NO_THROW(device->load_module({ModuleId{1}, "In[1]", output.ptx, output.cubin, output.architecture, {}}));
  try {
    device->load_module({ModuleId{2}, "In[2]", output.ptx, {}, "compute_90", {}});
    FAIL() << "such a driver takes newer PTX";
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "the GPU's driver rejects the PTX of In[2]");
    EXPECT_EQ(error.advice,
              "the PTX is newer than the driver; compile for this GPU (omit -arch), or update the driver");
  }
}

}  // namespace
}  // namespace xcuda::device::cuda
