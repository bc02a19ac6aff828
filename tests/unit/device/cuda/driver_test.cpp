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
        "Install a driver for CUDA 12.0 or newer, or continue without a GPU: %device cpu"}},
      {"complete_and_old",
       {"cannot use a GPU: the NVIDIA driver is too old (it supports CUDA 11.8)", "",
        "Install a driver for CUDA 12.0 or newer, or continue without a GPU: %device cpu"}},
      {"stub",
       {"cannot use a GPU: libcuda.so.1 is the CUDA toolkit's stub, which programs are only linked with",
        "CUDA_ERROR_OF_THE_STUB (34): said by the stub",
        "take the toolkit's folder `stubs` out of LD_LIBRARY_PATH, or continue without a GPU: %device cpu"}},
      {"no_gpu",
       {"cannot use a GPU: the NVIDIA driver finds none", "CUDA_ERROR_OF_THE_STUB (100): said by the stub",
        "check CUDA_VISIBLE_DEVICES and `nvidia-smi -L`, or continue without a GPU: %device cpu"}},
      {"not_ready",
       {"cannot use a GPU: the NVIDIA driver's services are not ready",
        "CUDA_ERROR_OF_THE_STUB (802): said by the stub",
        "wait until the machine has started; GPUs with NVSwitch need the Fabric Manager of the driver's version: "
        "`systemctl status nvidia-fabricmanager`, or continue without a GPU: %device cpu"}},
      {"mismatch",
       {"cannot use a GPU: the NVIDIA driver's library and its kernel module do not match",
        "CUDA_ERROR_OF_THE_STUB (803): said by the stub",
        "restart the machine if the driver was updated; a container needs the host's version of libcuda.so.1, which "
        "`cat /proc/driver/nvidia/version` shows, or continue without a GPU: %device cpu"}},
      {"compatibility",
       {"cannot use a GPU: libcuda.so.1 is of a CUDA compatibility package, which this GPU does not support",
        "CUDA_ERROR_OF_THE_STUB (804): said by the stub",
        "take the folder of cuda-compat out of LD_LIBRARY_PATH, or install a newer driver, or continue without a GPU: "
        "%device cpu"}},
      {"mps",
       {"cannot use a GPU: NVIDIA's Multi-Process Service (MPS) does not answer",
        "CUDA_ERROR_OF_THE_STUB (805): said by the stub",
        "start it with `nvidia-cuda-mps-control -d`, or unset CUDA_MPS_PIPE_DIRECTORY, or continue without a GPU: "
        "%device cpu"}},
      {"unknown",
       {"cannot use a GPU: cannot start the NVIDIA driver", "CUDA_ERROR_OF_THE_STUB (999): said by the stub",
        "load its module again, which it may need after a suspend: `sudo modprobe -r nvidia_uvm && sudo modprobe "
        "nvidia_uvm`; else see `nvidia-smi` and `sudo dmesg`, or continue without a GPU: %device cpu"}},
      {"other",
       {"cannot use a GPU: cannot start the NVIDIA driver", "CUDA_ERROR_OF_THE_STUB (304): said by the stub",
        "Run `nvidia-smi`, or continue without a GPU: %device cpu"}},
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
