#include "device/shared_words.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace xcuda::device {
namespace {

TEST(SharedWords, AllWhoMapThemSeeAValue) {
  const auto file = SharedWords::make_file();
  const SharedWords one(file), other(file);
  EXPECT_FALSE(other.reached(3, 1));
  one.write(3, 7);
  EXPECT_EQ(other.value(3), 7u);
  EXPECT_TRUE(other.reached(3, 7));
  EXPECT_FALSE(other.reached(3, 8));
  EXPECT_TRUE(other.reached(2, 0));
}

TEST(SharedWords, ValuesGoAround) {
  const SharedWords words(SharedWords::make_file());
  words.write(0, 0xFFFF'FFFE);
  EXPECT_TRUE(words.reached(0, 0xFFFF'FFFE));
  EXPECT_FALSE(words.reached(0, 1));
  words.write(0, 1);
  EXPECT_TRUE(words.reached(0, 0xFFFF'FFFF));
  words.lose(0, 5);
  EXPECT_FALSE(words.lost(0, 1));
  EXPECT_TRUE(words.lost(0, 2));
}

TEST(SharedWords, AWaitEndsWithTheValueOrItsLoss) {
  const SharedWords words(SharedWords::make_file());
  const auto never = [] { return false; };
  std::thread writer([&] {
    for (std::uint32_t i = 1; i <= 1000; ++i) words.write(1, i);
  });
  for (std::uint32_t i = 1; i <= 1000; ++i) EXPECT_EQ(words.wait(1, i, never), SharedWords::Wait::reached);
  writer.join();
  std::thread loser([&] { words.lose(1, 1003); });
  EXPECT_EQ(words.wait(1, 1002, never), SharedWords::Wait::lost);
  loser.join();
  EXPECT_EQ(words.wait(1, 1000, never), SharedWords::Wait::reached);  // that one was written
  words.forget_losses();
  EXPECT_EQ(words.wait(1, 1003, never), SharedWords::Wait::reached);
  EXPECT_EQ(words.wait(2, 1, [] { return true; }), SharedWords::Wait::stopped);
}

}  // namespace
}  // namespace xcuda::device
