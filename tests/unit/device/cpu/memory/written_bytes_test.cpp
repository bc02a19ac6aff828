#include "device/cpu/memory/written_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace xcuda::device::cpu {
namespace {

TEST(WrittenBytes, AgreeWithAPlainList) {
  constexpr std::uint64_t begin = 0x1004, size = 1000;
  WrittenBytes written;
  EXPECT_EQ(written.find(begin), nullptr);
  written.declare(begin, size);
  std::vector<bool> plain(size);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t at = random() % size,
                        bytes = 1 + random() % std::min<std::uint64_t>(size - at, round % 50 ? 20 : 150);
    WrittenBytes::Array* array = written.find(begin + at);
    ASSERT_NE(array, nullptr);
    EXPECT_EQ(array->written(begin + at, bytes),
              std::accumulate(plain.begin() + at, plain.begin() + at + bytes, true, std::logical_and<>()));
    if (round % 3) continue;
    written.write(begin + at, bytes);
    std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(at), bytes, true);
  }
  written.write(begin - 4, size + 8);  // all of it
  EXPECT_TRUE(written.empty());
}

}  // namespace
}  // namespace xcuda::device::cpu
