#include "base/host_memory.hpp"

#include <gtest/gtest.h>

namespace xcuda {
namespace {

TEST(HostMemory, IsWithinTheMachine) {
  const auto memory = host_memory();
  EXPECT_GT(memory.available, 0u);
  EXPECT_LE(memory.available, memory.total);
}

}  // namespace
}  // namespace xcuda
