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

TEST(Board, TellsHowItReachesOthers) {
  if (std::getenv("XCUDA_STUB_NVML") == nullptr) GTEST_SKIP() << "no stub of NVML is given";
  const auto board = read_board("GPU-stub", {"GPU-stub", "GPU-second", "GPU-unknown", "GPU-slow"});
  ASSERT_TRUE(board);
  ASSERT_EQ(board->links.size(), 2u);
  EXPECT_EQ(board->links[0].uuid, "GPU-second");
  EXPECT_EQ(board->links[0].nvlinks, 4);
  EXPECT_EQ(board->links[1].nvlinks, 0);
  EXPECT_EQ(board->links[1].path, BoardLink::Path::numa_node);
}

}  // namespace
}  // namespace xcuda::device::cuda
