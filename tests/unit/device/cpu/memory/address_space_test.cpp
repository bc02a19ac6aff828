#include "device/cpu/memory/address_space.hpp"

#include <gtest/gtest.h>

namespace xcuda::device::cpu {
namespace {

const Window small_window{0x3000'0000'0000, 1 << 30};

TEST(AddressSpace, NamedArraysBoundWhatIsAround) {
  AddressSpace space(small_window);
  const Address base = space.memory.window().base;
  const File file = space.memory.create({MemoryId{1}, base, 4 << 20});
  EXPECT_EQ(space.find(base + 100)->size, 4u << 20);  // no names yet
  space.arrays.name({base + 256, 400, 4, "x", "float"});
  EXPECT_EQ(space.find(base + 100), std::nullopt);
  EXPECT_EQ(space.find(base + 256)->size, 400u);
  EXPECT_EQ(space.find(base + 655)->begin, base + 256);
  EXPECT_EQ(space.find(base + 656), std::nullopt);
  EXPECT_EQ(space.bounds_of(base + 656).begin, base + 256);  // one past the end
  EXPECT_EQ(space.bounds_of(base + 657).size, 0u);
  space.arrays.forget(base + 256);
  EXPECT_EQ(space.find(base + 656)->size, 4u << 20);
  EXPECT_FALSE(space.contains(base + (4 << 20) - 1, 2));
  EXPECT_TRUE(space.contains(base, 4 << 20));
}

TEST(AddressSpace, KernelHeap) {
  AddressSpace space(small_window);
  space.heap.set_limit(1000);
  const std::uint64_t block = space.heap.allocate(600);
  ASSERT_NE(block, 0u);
  EXPECT_EQ(space.heap.allocate(600), 0u);
  EXPECT_EQ(space.find(block + 599)->size, 600u);
  EXPECT_EQ(space.find(block + 600), std::nullopt);
  EXPECT_TRUE(space.heap.release(block));
  EXPECT_FALSE(space.heap.release(block));
  EXPECT_TRUE(space.heap.release(0));
  EXPECT_NE(space.heap.allocate(600), 0u);
}

}  // namespace
}  // namespace xcuda::device::cpu
