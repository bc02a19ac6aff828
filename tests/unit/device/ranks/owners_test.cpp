#include "device/ranks/owners.hpp"

#include <gtest/gtest.h>

namespace xcuda::device::ranks {
namespace {

using Part = Placement::Part;

TEST(Owners, KnowEachByte) {
  Owners owners;
  const std::vector<Part> parts = {{0, 40}, {1, 0}, {2, 60}};
  owners.add({MemoryId{1}, 4096, 4096, 0, parts});
  owners.add({MemoryId{2}, 8192, 4096, 1});
  EXPECT_EQ(owners.run_at(4096, 100).device, 0U);
  EXPECT_EQ(owners.run_at(4096, 100).bytes, 40U);
  EXPECT_EQ(owners.run_at(4136, 8000).device, 2U);  // and what is left of the piece
  EXPECT_EQ(owners.run_at(4136, 8000).bytes, 4056U);
  const auto runs = owners.runs(4130, 8192);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].bytes, 6U);
  EXPECT_EQ(runs[2].device, 1U);
  EXPECT_EQ(runs[3].begin, 12288U);
  EXPECT_FALSE(runs[3].device);
  owners.remove(MemoryId{1});
  EXPECT_FALSE(owners.run_at(4096, 8).device);
  EXPECT_EQ(owners.run_at(4090, 8000).bytes, 4102U);  // up to what is known
  EXPECT_EQ(owners.run_at(8192, 8).device, 1U);
}

TEST(Owners, GiveNeighboursTheGranuleBetweenThem) {
  const std::vector<Part> parts = {{0, 4096 + 8}, {1, 4096}, {2, 8}};
  const auto pieces = Owners::pieces_of({MemoryId{1}, 0x10000, 3 * 4096, 0, parts}, 4096);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].address, 0x10000U);
  EXPECT_EQ(pieces[0].size, 2U * 4096);
  EXPECT_EQ(pieces[1].address, 0x11000U);
  EXPECT_EQ(pieces[1].size, 2U * 4096);
  EXPECT_EQ(pieces[2].device, 2U);
  EXPECT_EQ(pieces[2].address, 0x12000U);
  EXPECT_EQ(pieces[2].size, 4096U);
  EXPECT_EQ(Owners::pieces_of({MemoryId{1}, 0x10000, 4096, 2}, 4096).front().device, 2U);
}

}  // namespace
}  // namespace xcuda::device::ranks
