// What a driver that cannot be used is answered with. A process sees one driver, so each case is a run of its own
// (tests/unit/CMakeLists.txt), with another libcuda.so.1 in front; XCUDA_STUB says which.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/device_info.hpp"

namespace xcuda::device::cuda {
namespace {

struct Expected {
  std::string message, library, advice;
};

TEST(Driver, SaysWhatIsWrongWithIt) {
  const char* const stub = std::getenv("XCUDA_STUB");
  if (stub == nullptr) GTEST_SKIP() << "no stub of a driver is given";
  const std::map<std::string, Expected> cases = {
      {"missing",
       {"cannot use a GPU: cannot load the NVIDIA driver's library libcuda.so.1", "libcuda.so.1",
        "install NVIDIA's driver, or continue without a GPU: %device cpu"}},
      {"old",
       {"cannot use a GPU: the NVIDIA driver is too old (it supports CUDA 11.2)", "libcuda.so.1 has no cu",
        "install a driver for CUDA 12.0 or newer, or continue without a GPU: %device cpu"}},
      {"no_gpu",
       {"cannot use a GPU: the NVIDIA driver finds none", "CUDA_ERROR_NO_DEVICE (100): said by the stub",
        "check CUDA_VISIBLE_DEVICES and `nvidia-smi -L`, or continue without a GPU: %device cpu"}},
      {"broken",
       {"cannot use a GPU: cannot start the NVIDIA driver", "CUDA_ERROR_SYSTEM_NOT_READY (802): said by the stub",
        "run `nvidia-smi`, or continue without a GPU: %device cpu"}},
  };
  const auto& expected = cases.at(stub);
  try {
    list_devices();
    FAIL() << "such a driver lists devices";
  } catch (const Error& error) {
    EXPECT_EQ(error.message, expected.message);
    EXPECT_NE(error.library.find(expected.library), std::string::npos) << error.library;
    EXPECT_EQ(error.advice, expected.advice);
    EXPECT_EQ(error.kind, ErrorKind::device);
  }
}

TEST(Occupancy, NamesWhatLimitsIt) {
  DeviceInfo info;  // as an H200 has it
  info.max_threads_per_multiprocessor = 2048;
  info.max_blocks_per_multiprocessor = 32;
  info.registers_per_multiprocessor = 65536;
  info.shared_per_multiprocessor = 233472;
  EXPECT_EQ(occupancy_limiter(info, {.registers = 32, .shared = 0, .threads = 1024}), "threads");
  EXPECT_EQ(occupancy_limiter(info, {.registers = 16, .shared = 0, .threads = 32}), "blocks");
  EXPECT_EQ(occupancy_limiter(info, {.registers = 128, .shared = 0, .threads = 256}), "registers");
  EXPECT_EQ(occupancy_limiter(info, {.registers = 32, .shared = 100'000, .threads = 128}), "shared memory");
  EXPECT_EQ(occupancy_limiter(info, {}), "");
}

}  // namespace
}  // namespace xcuda::device::cuda
