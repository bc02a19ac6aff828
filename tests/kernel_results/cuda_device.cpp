// The tests of the CPU device's kernels on a GPU: all but those of faults, of what is printed, of what is a GPU's own
// (%smid, %total_smem_size, how far lanes are apart), and of memory that the host reads through pointers.
#include "device/cuda/cuda_device.hpp"

#include <gtest/gtest.h>

#include "device/remote/remote_device.hpp"
#include "tests/kernel_results/kernel_results.hpp"
#include "tests/places.hpp"

namespace xcuda::device {

std::unique_ptr<Device> make_test_device(const TestDevice&) {
  remote::RemoteOptions options;
  options.worker.program = test::program_file("xcuda-gpu");
  options.staging_size = 1 << 20;
  return std::make_unique<remote::RemoteDevice>(std::move(options));
}

}  // namespace xcuda::device

int main(int argc, char** argv) {
  testing::GTEST_FLAG(filter) =
      "*Kernels*:-*Fault*:*ChecksAndTheirEnds*:*ATrapAndABreakpoint*:*WarpMatricesOutOfTheirArray*:*"
      "WarpVotesAndBlockVotes*:*DeviceMemory*:*ShortsAndLongs*:*SpacesAndCacheHints*:TextureKernels.*";
  testing::InitGoogleTest(&argc, argv);
  try {
    if (xcuda::device::cuda::list_devices().empty()) throw xcuda::Error(xcuda::ErrorKind::device, "no GPU");
  } catch (const xcuda::Error& error) {
    std::printf("skipped, all: %s\n", error.message.c_str());
    return 0;
  }
  return RUN_ALL_TESTS();
}
