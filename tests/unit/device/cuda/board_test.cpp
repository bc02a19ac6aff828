// What NVML says of a GPU; its library is a stub, in front of the loader's path in a run of its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/cuda/board.hpp"

namespace xcuda::device::cuda {
namespace {

TEST(Board, TellsWhatNvmlSays) {
  if (std::getenv("XCUDA_STUB_NVML") == nullptr) GTEST_SKIP() << "no stub of NVML is given";
  EXPECT_FALSE(read_board("GPU-unknown"));
  const auto board = read_board("GPU-stub");
  ASSERT_TRUE(board);
  EXPECT_EQ(board->temperature, 35);
  EXPECT_EQ(board->memory_errors, 2u);
  EXPECT_TRUE(board->remap_pending);
  EXPECT_EQ(board->clock_hz, 0);  // not told
}

}  // namespace
}  // namespace xcuda::device::cuda
