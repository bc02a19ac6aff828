// The words by which devices wait for each other, with the test as the other device.
#include "device/shared_words.hpp"

#include <thread>

#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

using namespace std::chrono_literals;

class WordsContract : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    const auto file = SharedWords::make_file();
    words_ = SharedWords(file);
    if (!device().share_words(file)) GTEST_SKIP() << "it cannot use them";
    load();
    x_ = add_memory(0);
    fill(x_, 4, 1);
    finish_well();
  }
  std::uint32_t first() { return read<std::uint32_t>(x_, 1).front(); }
  bool is_gpu() const { return info().kind == Kind::cuda; }

  SharedWords words_;
  Address x_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Device, WordsContract, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(WordsContract, AValueIsWrittenAfterWhatWasPosted) {
  device().create_stream(StreamId{1});
  for (std::uint32_t step = 1; step <= 50; ++step) {
    fill(x_, 4, step, step % 2 == 0 ? StreamId{0} : StreamId{1});
    device().post_write_value(5, step);
  }
  finish_well();
  EXPECT_EQ(words_.value(5), 50u);
  EXPECT_EQ(words_.value(4), 0u);
  EXPECT_EQ(first(), 50u);
  device().destroy_stream(StreamId{1});
}

TEST_P(WordsContract, WhatFollowsAWaitBeginsWithTheValue) {
  device().create_stream(StreamId{1});
  std::uint32_t early = 77;
  device().post_wait_value(1, 5);
  fill(x_, 4, 2, StreamId{1});
  device().post_write_value(2, 1);
  std::thread other([&] {
    words_.write(1, 4);
    std::this_thread::sleep_for(50ms);
    early = words_.value(2);
    words_.write(1, 6);
  });
  finish_well();
  other.join();
  EXPECT_EQ(early, 0u);
  EXPECT_EQ(words_.value(2), 1u);
  EXPECT_EQ(first(), 2u);
  device().post_wait_value(1, 6);  // it is there
  fill(x_, 4, 3);
  finish_well();
  EXPECT_EQ(first(), 3u);
  device().destroy_stream(StreamId{1});
}

TEST_P(WordsContract, WhatWaitsForALostValueIsLeftOut) {
  if (is_gpu() && !has_process()) GTEST_SKIP() << "its process leaves it out";
  words_.write(1, 2);
  words_.lose(1, 9);
  device().post_wait_value(1, 2);
  fill(x_, 4, 2);
  device().post_write_value(2, 1);
  device().post_wait_value(1, 3);
  fill(x_, 4, 3);
  const auto number = launch("write_index", 4, x_ + 16, 4u);
  device().post_write_value(2, 2);
  const auto completion = finish();
  EXPECT_FALSE(completion.fault);
  EXPECT_EQ(completion.skipped, std::vector<std::uint64_t>{number});
  EXPECT_EQ(words_.value(2), 1u);
  EXPECT_EQ(first(), 2u);
  words_.forget_losses();
  device().post_wait_value(1, 9);
  fill(x_, 4, 4);
  device().post_write_value(2, 3);
  finish_well();
  EXPECT_EQ(words_.value(2), 3u);
  EXPECT_EQ(first(), 4u);
}

TEST_P(WordsContract, AnInterruptEndsAWait) {
  if (is_gpu() && !has_process()) GTEST_SKIP() << "only the end of its process stops it";
  device().post_wait_value(1, 1);
  fill(x_, 4, 2);
  launch("write_index", 4, x_, 4u);
  Interrupt interrupt;
  interrupt.raise();
  const auto completion = finish({.interrupt = &interrupt});
  if (completion.fault)
    EXPECT_EQ(completion.fault->kind, FaultKind::interrupted);
  else
    EXPECT_EQ(completion.skipped.size(), 1u);
  if (completion.fault && !supervised()) return;
  EXPECT_EQ(first(), 1u);
  fill(x_, 4, 3);
  finish_well();
  EXPECT_EQ(first(), 3u);
}

TEST_P(WordsContract, TheNextProcessHasThem) {
  if (!supervised()) GTEST_SKIP() << "there is no next one";
  device().post_write_value(1, 1);
  finish_well();
  device().restart();
  device().post_wait_value(1, 1);
  device().post_write_value(1, 2);
  finish_well();
  EXPECT_EQ(words_.value(1), 2u);
}

}  // namespace
}  // namespace xcuda::device::contract
