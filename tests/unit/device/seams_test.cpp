#include "device/seams.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace xcuda::device {
namespace {

constexpr Address kBase = 0x1000;

// 100 bytes in pieces of 30, 50 and 20, and what posts do to them.
struct Pieces {
  Seams seams;
  std::vector<std::byte> bytes = std::vector<std::byte>(100);
  int posts = 0;
  Pieces() {
    seams.add({MemoryId{1}, kBase, 30, 0});
    seams.add({MemoryId{2}, kBase + 30, 50, 1});
    seams.add({MemoryId{3}, kBase + 80, 20, 0});
  }
  static std::size_t piece(Address at) { return at < kBase + 30 ? 1 : at < kBase + 80 ? 2 : 3; }
  static void expect_within(Address at, std::uint64_t size) { EXPECT_EQ(piece(at), piece(at + size - 1)); }

  void fill(const FillRequest& request) {
    seams.fills(request, [&](const FillRequest& part) {
      ++posts;
      expect_within(part.address, part.count * part.pattern.size());
      for (std::uint64_t i = 0; i < part.count * part.pattern.size(); ++i)
        bytes.at(part.address - kBase + i) = part.pattern[i % part.pattern.size()];
    });
  }
  void copy(const CopyRequest& request) {
    seams.copies(request, Seams::Sides::both, [&](const CopyRequest& part) {
      ++posts;
      for (std::uint64_t row = 0; row < part.height; ++row) {
        expect_within(part.to + row * part.to_pitch, part.width);
        expect_within(part.from + row * part.from_pitch, part.width);
        std::memcpy(&bytes.at(part.to - kBase + row * part.to_pitch),
                    &bytes.at(part.from - kBase + row * part.from_pitch), part.width);
      }
    });
  }
};

TEST(Seams, AFillIsCutWhereItCrossesOne) {
  Pieces rig;
  rig.fill({kBase + 25, 60, {std::byte{7}}});
  EXPECT_EQ(rig.posts, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rig.bytes[i], std::byte(i >= 25 && i < 85 ? 7 : 0)) << i;
}

TEST(Seams, APatternThatCrossesOneIsWrittenInTwoParts) {
  Pieces rig;
  std::vector<std::byte> pattern(7);
  for (int i = 0; i < 7; ++i) pattern[i] = std::byte(i + 1);
  rig.fill({kBase + 3, 13, pattern});
  for (int i = 0; i < 91; ++i) EXPECT_EQ(rig.bytes[3 + i], pattern[i % 7]) << i;
  EXPECT_EQ(rig.bytes[2], std::byte{0});
  EXPECT_EQ(rig.bytes[94], std::byte{0});
}

TEST(Seams, ACopyIsCutOnBothSides) {
  Pieces rig;
  for (int i = 0; i < 100; ++i) rig.bytes[i] = std::byte(i);
  rig.copy({.to = kBase + 50, .from = kBase + 10, .width = 40});
  for (int i = 0; i < 40; ++i) EXPECT_EQ(rig.bytes[50 + i], std::byte(10 + i)) << i;
  EXPECT_EQ(rig.posts, 3);  // from 30 on, and to 80 on
}

TEST(Seams, ARectangleIsCutRowByRow) {
  Pieces rig;
  for (int i = 0; i < 100; ++i) rig.bytes[i] = std::byte(i);
  rig.copy({.to = kBase + 60, .from = kBase + 10, .width = 8, .height = 3, .to_pitch = 12, .from_pitch = 10});
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 8; ++i) EXPECT_EQ(rig.bytes[60 + row * 12 + i], std::byte(10 + row * 10 + i));
}

TEST(Seams, WhatCrossesNoneIsPostedAsItIs) {
  Pieces rig;
  rig.copy({.to = kBase + 30, .from = kBase, .width = 5, .height = 3, .to_pitch = 6, .from_pitch = 10});
  EXPECT_EQ(rig.posts, 1);
  rig.seams.remove(MemoryId{2});
  int posts = 0;
  rig.seams.fills({kBase, 100, {std::byte{1}}}, [&](const FillRequest&) { ++posts; });
  EXPECT_EQ(posts, 1);
  rig.seams.fills({kBase, 0, {}}, [&](const FillRequest&) { ++posts; });
  EXPECT_EQ(posts, 2);  // an error that the device tells
}

}  // namespace
}  // namespace xcuda::device
