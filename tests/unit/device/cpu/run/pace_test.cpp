// What other launches may learn of one that runs.
#include "device/cpu/run/pace.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace xcuda::device::cpu {
namespace {

constexpr Pace::Clock::duration kNone{0}, kLong = std::chrono::hours(1);

TEST(Pace, CountsThreadsThatWork) {
  Pace pace;
  EXPECT_EQ(pace.working(), 0);
  auto first = std::make_unique<Pace::Worker>(&pace);
  Pace::Worker second(&pace);
  EXPECT_EQ(pace.working(), 2);
  second.rest();
  second.rest();
  EXPECT_EQ(pace.working(), 1);
  first.reset();
  EXPECT_EQ(pace.working(), 0);
  second.get_on();
  second.get_on();
  EXPECT_EQ(pace.working(), 1);
}

TEST(Pace, KnowsSinceWhenAsManyWork) {
  Pace pace;
  EXPECT_FALSE(pace.steady_for(kNone));  // not begun
  const auto begun = Pace::Clock::now();
  const Pace::Worker worker(&pace);
  EXPECT_TRUE(pace.steady_for(kNone));
  EXPECT_FALSE(pace.steady_for(kLong));
  EXPECT_FALSE(pace.steady_for(Pace::Clock::now() - begun + kLong));
}

TEST(Pace, OfALaunchThatNobodyAsksAbout) {
  Pace::Worker worker(nullptr);
  worker.rest();
  worker.get_on();
  EXPECT_EQ(worker.pace(), nullptr);
}

}  // namespace
}  // namespace xcuda::device::cpu
