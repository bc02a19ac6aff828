#include "device/cpu/run/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

namespace xcuda::device::cpu {
namespace {

TEST(ThreadPool, HelpersTakeTheJobAndFinishWaits) {
  ThreadPool pool(3);
  std::atomic<int> next{0}, done{0};
  const std::function<void(int)> job = [&](int) {
    while (next++ < 1000) ++done;
  };
  for (int round = 0; round < 50; ++round) {
    next = 0;
    done = 0;
    pool.offer(job);
    job(0);
    pool.finish();
    EXPECT_EQ(done, 1000);
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
