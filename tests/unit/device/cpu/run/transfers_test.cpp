#include "device/cpu/run/transfers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace xcuda::device::cpu {
namespace {

TEST(Transfers, FillsAnyPattern) {
  for (const std::size_t size : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 100u})
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u, 30000u}) {
      FillRequest request;
      request.count = count;
      for (std::size_t i = 0; i < size; ++i) request.pattern.push_back(static_cast<std::byte>(i * 37 + 1));
      std::vector<std::byte> memory(size * count + 1, std::byte{0xEE});
      fill_patterns(memory.data(), request);
      for (std::size_t i = 0; i < size * count; ++i)
        ASSERT_EQ(memory[i], request.pattern[i % size]) << size << " " << i;
      EXPECT_EQ(memory.back(), std::byte{0xEE});
    }
}

TEST(Transfers, CopiesRectangles) {
  std::vector<std::byte> from(100), to(100, std::byte{0xFF});
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i);
  copy_rows(to.data(), from.data(), {0, 0, 3, 4, 10, 20});
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_EQ(to[32], std::byte{62});
  EXPECT_EQ(to[3], std::byte{0xFF});
  EXPECT_EQ(to[40], std::byte{0xFF});
}

TEST(Transfers, ExtentsDoNotOverflow) {
  EXPECT_EQ(extent_of(10, 1, 0), 10u);
  EXPECT_EQ(extent_of(10, 3, 100), 210u);
  EXPECT_EQ(extent_of(10, 0, 100), 0u);
  EXPECT_EQ(extent_of(10, ~std::uint64_t{0}, 100), std::nullopt);
  EXPECT_EQ(extent_of(~std::uint64_t{0}, 2, 100), std::nullopt);
}

}  // namespace
}  // namespace xcuda::device::cpu
