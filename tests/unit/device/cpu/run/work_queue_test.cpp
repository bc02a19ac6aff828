#include "device/cpu/run/work_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace xcuda::device::cpu {
namespace {

TEST(WorkQueue, RunsInOrderAndCallsSeeWhatWasPosted) {
  WorkQueue queue;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) queue.post([&order, i] { order.push_back(i); });
  EXPECT_EQ(queue.call([&] { return order.size(); }), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(WorkQueue, ErrorsOfCallsComeBackAndThoseOfPostsAreKept) {
  WorkQueue queue;
  EXPECT_THROW(queue.call([] { throw Error(ErrorKind::value, "one"); }), Error);
  queue.post([] { throw Error(ErrorKind::compile, "two"); });
  queue.post([] { throw Error(ErrorKind::compile, "three"); });
  EXPECT_EQ(queue.wait(nullptr, std::nullopt), WorkQueue::Wait::done);
  try {
    queue.rethrow();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "two");
  }
  EXPECT_NO_THROW(queue.rethrow());
}

TEST(WorkQueue, AWaitEndsByInterruptAndByDeadline) {
  WorkQueue queue;
  std::atomic<bool> go{false};
  queue.post([&] {
    while (!go) std::this_thread::yield();
  });
  EXPECT_EQ(queue.wait(nullptr, std::chrono::steady_clock::now() + std::chrono::milliseconds(5)),
            WorkQueue::Wait::time_limit);
  Interrupt interrupt;
  std::thread user([&] { interrupt.raise(); });
  EXPECT_EQ(queue.wait(&interrupt, std::nullopt), WorkQueue::Wait::interrupted);
  user.join();
  go = true;
  EXPECT_EQ(queue.wait(nullptr, std::nullopt), WorkQueue::Wait::done);
}

}  // namespace
}  // namespace xcuda::device::cpu
