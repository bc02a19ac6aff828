#include "device/cpu/run/launch_limits.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace xcuda::device::cpu {
namespace {

std::string refusal(const LaunchRequest& request, const FunctionInfo& function = {}) {
  const std::optional<RefusedLaunch> refused = refuse(request, function);
  return refused ? refused->library : "";
}

LaunchRequest launch(Dim3 grid, Dim3 block) {
  LaunchRequest request;
  request.number = 9;
  request.grid = grid;
  request.block = block;
  return request;
}

TEST(Limits, GridsAndBlocks) {
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1024, 1, 1})), "");
  EXPECT_EQ(refusal(launch({0x7fffffff, 65535, 65535}, {16, 1, 64})), "");
  EXPECT_NE(refusal(launch({1, 1, 1}, {1025, 1, 1})).find("CUDA_ERROR_INVALID_VALUE (1)"), std::string::npos);
  EXPECT_NE(refusal(launch({1, 1, 1}, {64, 32, 1})).find("2048 threads"), std::string::npos);
  EXPECT_NE(refusal(launch({1, 1, 1}, {1, 1, 65})), "");
  EXPECT_NE(refusal(launch({1, 65536, 1}, {1, 1, 1})), "");
  EXPECT_NE(refusal(launch({0, 1, 1}, {1, 1, 1})), "");
  EXPECT_NE(refusal(launch({1, 1, 1}, {1, 0, 1})), "");
}

TEST(Limits, SharedMemoryBoundsAndArguments) {
  FunctionInfo function;
  function.entry = "k";
  function.shared_bytes = 1024;
  LaunchRequest request = launch({1, 1, 1}, {32, 1, 1});
  request.dynamic_shared = (163 << 10) - 1024;
  EXPECT_EQ(refusal(request, function), "");
  request.dynamic_shared += 1;
  EXPECT_NE(refusal(request, function), "");
  request.dynamic_shared = ~std::uint64_t{0};
  EXPECT_NE(refusal(request, function), "");
  request.dynamic_shared = 0;
  function.max_threads_per_block = 16;
  EXPECT_NE(refusal(request, function).find("OUT_OF_RESOURCES"), std::string::npos);
  function.max_threads_per_block = 0;
  function.parameters = {{0, 8, 8}, {8, 4, 4}};
  EXPECT_NE(refusal(request, function), "");
  request.arguments.resize(12);
  EXPECT_EQ(refusal(request, function), "");
}

TEST(Limits, Occupancy) {
  FunctionInfo function;
  const Occupancy full = occupancy_of(function, {{}, "k", 256, 0});
  EXPECT_EQ(full.blocks_per_multiprocessor, 8);
  EXPECT_DOUBLE_EQ(full.fraction, 1.0);
  EXPECT_EQ(full.limiter, "threads");
  const Occupancy shared = occupancy_of(function, {{}, "k", 256, 48 << 10});
  EXPECT_EQ(shared.blocks_per_multiprocessor, 3);
  EXPECT_EQ(shared.limiter, "shared memory");
  EXPECT_EQ(occupancy_of(function, {{}, "k", 32, 0}).limiter, "blocks");
  EXPECT_EQ(best_block_of(function, {}), 256u);
  function.max_threads_per_block = 64;
  EXPECT_LE(best_block_of(function, {}), 64u);
}

}  // namespace
}  // namespace xcuda::device::cpu
