// The small parts of the runtime, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/cpu/run/limits.hpp"
#include "device/cpu/run/ordered_output.hpp"
#include "device/cpu/run/thread_pool.hpp"
#include "device/cpu/run/transfers.hpp"
#include "device/cpu/run/work_queue.hpp"

namespace xcuda::device::cpu {
namespace {

// --- OrderedOutput --------------------------------------------------------------------------------------------------

TEST(OrderedOutput, IsInTheOrderOfBlocks) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string late = "c", middle = "b", first = "a";
  output.complete(4, 6, late);
  output.complete(1, 4, middle);
  EXPECT_EQ(all, "");
  output.complete(0, 1, first);
  EXPECT_EQ(all, "abc");
}

TEST(OrderedOutput, FinishWritesWhatWaits) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string late = "later";
  output.complete(4, 6, late);
  output.finish();
  EXPECT_EQ(all, "later");
}

TEST(OrderedOutput, TheRunInTurnDoesNotWait) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 1000);
  std::string text = "seen at once";
  output.print(0, text);
  EXPECT_EQ(all, "seen at once");
  EXPECT_TRUE(text.empty());
  std::string other = "not yet";
  output.print(7, other);
  EXPECT_EQ(other, "not yet");
}

TEST(OrderedOutput, SaysWhatItDropped) {
  std::string all;
  const TextSink sink = [&](std::string_view text) { all += text; };
  OrderedOutput output(sink, 10);
  std::string text(100, 'x');
  output.complete(5, 6, text);
  output.finish();
  EXPECT_NE(all.find("100 bytes"), std::string::npos);
}

// --- ThreadPool and WorkQueue ---------------------------------------------------------------------------------------

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

// --- Transfers ------------------------------------------------------------------------------------------------------

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

// --- Limits ---------------------------------------------------------------------------------------------------------

std::string refusal(const LaunchRequest& request, const FunctionInfo& function = {}) {
  const std::optional<RefusedLaunch> refused = refuse(request, function);
  return refused ? refused->library : "";
}

LaunchRequest launch(Dim3 grid, Dim3 block) {
  LaunchRequest request;
  request.number = 9;
  request.grid = grid;
  request.block = block;
  return request;
}

TEST(Limits, GridsAndBlocks) {
  EXPECT_EQ(refusal(launch({1, 1, 1}, {1024, 1, 1})), "");
  EXPECT_EQ(refusal(launch({0x7fffffff, 65535, 65535}, {16, 1, 64})), "");
  EXPECT_NE(refusal(launch({1, 1, 1}, {1025, 1, 1})).find("CUDA_ERROR_INVALID_VALUE (1)"), std::string::npos);
  EXPECT_NE(refusal(launch({1, 1, 1}, {64, 32, 1})).find("2048 threads"), std::string::npos);
  EXPECT_NE(refusal(launch({1, 1, 1}, {1, 1, 65})), "");
  EXPECT_NE(refusal(launch({1, 65536, 1}, {1, 1, 1})), "");
  EXPECT_NE(refusal(launch({0, 1, 1}, {1, 1, 1})), "");
  EXPECT_NE(refusal(launch({1, 1, 1}, {1, 0, 1})), "");
}

TEST(Limits, SharedMemoryBoundsAndArguments) {
  FunctionInfo function;
  function.entry = "k";
  function.shared_bytes = 1024;
  LaunchRequest request = launch({1, 1, 1}, {32, 1, 1});
  request.dynamic_shared = (163 << 10) - 1024;
  EXPECT_EQ(refusal(request, function), "");
  request.dynamic_shared += 1;
  EXPECT_NE(refusal(request, function), "");
  request.dynamic_shared = ~std::uint64_t{0};
  EXPECT_NE(refusal(request, function), "");
  request.dynamic_shared = 0;
  function.max_threads_per_block = 16;
  EXPECT_NE(refusal(request, function).find("OUT_OF_RESOURCES"), std::string::npos);
  function.max_threads_per_block = 0;
  function.parameters = {{0, 8, 8}, {8, 4, 4}};
  EXPECT_NE(refusal(request, function), "");
  request.arguments.resize(12);
  EXPECT_EQ(refusal(request, function), "");
}

TEST(Limits, Occupancy) {
  FunctionInfo function;
  const Occupancy full = occupancy_of(function, {{}, "k", 256, 0});
  EXPECT_EQ(full.blocks_per_multiprocessor, 8);
  EXPECT_DOUBLE_EQ(full.fraction, 1.0);
  EXPECT_EQ(full.limiter, "threads");
  const Occupancy shared = occupancy_of(function, {{}, "k", 256, 48 << 10});
  EXPECT_EQ(shared.blocks_per_multiprocessor, 3);
  EXPECT_EQ(shared.limiter, "shared memory");
  EXPECT_EQ(occupancy_of(function, {{}, "k", 32, 0}).limiter, "blocks");
  EXPECT_EQ(best_block_of(function, {}), 256u);
  function.max_threads_per_block = 64;
  EXPECT_LE(best_block_of(function, {}), 64u);
}

}  // namespace
}  // namespace xcuda::device::cpu
