// Launches of kernels that are written here in C++ against the ABI of generated code: the pool, the services, faults.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <set>

#include "device/cpu/run/block_runner.hpp"

namespace xcuda::device::cpu {
namespace {

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() : space_(Window{0x3000'0000'0000, 1 << 30}), pool_(3), runner_(pool_) {
    base_ = space_.memory.window().base;
    memory_ = space_.memory.create({MemoryId{1}, base_, 2 << 20});
    space_.arrays.name({base_, 400, 4, "x", "float"});
    space_.arrays.name({base_ + 512, 800, 8, "y", "double"});
    request_.number = 7;
    request_.entry = "kernel";
  }

  std::optional<Fault> run(KernelFunction kernel, Dim3 grid, Dim3 block) {
    code_.run = kernel;
    request_.grid = grid;
    request_.block = block;
    text_.clear();
    errors_.clear();
    OrderedOutput output(sink_, 1 << 20);
    LaunchState state({request_, code_, space_, output, error_sink_, stop_, worker_});
    state.abi.grid[0] = grid.x, state.abi.grid[1] = grid.y, state.abi.grid[2] = grid.z;
    state.abi.block[0] = block.x, state.abi.block[1] = block.y, state.abi.block[2] = block.z;
    const auto threads = static_cast<std::uint32_t>(block.count());
    state.abi.warps = (threads + 31) / 32;
    state.abi.shared_bytes = 256;
    state.abi.parameters = reinterpret_cast<const std::byte*>(&parameter_);
    state.abi.bounds = bounds_.data();
    state.abi.services = services();
    state.abi.runtime = &state;
    runner_.run(state);
    output.finish();
    return state.fault();
  }

  AccessSite site(int slot, AccessSite::Space space = AccessSite::Space::global) {
    AccessSite site;
    site.operation.opcode = ptx::Opcode::st;
    site.place.source = "In[3]";
    site.place.line = 7;
    site.place.column = 5;
    site.access = Access::write;
    site.size = 4;
    site.space = space;
    site.slot = slot;
    return site;
  }

  Pace::Worker worker_{nullptr};
  AddressSpace space_;
  ThreadPool pool_;
  BlockRunner runner_;
  Address base_ = 0;
  File memory_;
  LaunchRequest request_;
  KernelCode code_;
  std::uint64_t parameter_ = 0;
  std::vector<AddressRange> bounds_ = std::vector<AddressRange>(4);
  std::atomic<bool> stop_{false};
  std::string text_, errors_;
  TextSink sink_ = [this](std::string_view text) { text_ += text; };
  TextSink error_sink_ = [this](std::string_view text) { errors_ += text; };
};

// Long enough for more than one thread.
void spend(int steps) {
  static std::atomic<int> sink;
  for (int i = 0; i < steps; ++i) sink.store(i, std::memory_order_relaxed);
}

std::uint32_t call(BlockFrame* frame, Service service, LaneCall& lanes) {
  return frame->launch->services[static_cast<std::size_t>(service)](frame, &lanes);
}

constexpr auto finished = static_cast<std::uint32_t>(Outcome::finished);
constexpr auto left = static_cast<std::uint32_t>(Outcome::left);

TEST_F(LaunchTest, EveryBlockRunsOnce) {
  static std::vector<std::atomic<int>> counts;
  counts = std::vector<std::atomic<int>>(37 * 5 * 3);
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t x = begin; x < end; ++x) {
      ++counts[x + 37 * (frame->block_index[1] + 5 * frame->block_index[2])];
      spend(2000);
    }
    return finished;
  };
  for (int round = 1; round <= 20; ++round) {
    EXPECT_EQ(run(kernel, {37, 5, 3}, {64, 1, 1}), std::nullopt);
    for (const std::atomic<int>& count : counts) ASSERT_EQ(count, round);
  }
}

// Code that was being compiled takes over between two blocks, with a save area of its own size.
TEST_F(LaunchTest, BetterCodeRunsTheNextBlocks) {
  static std::atomic<const KernelCode*> better;
  static KernelCode full;
  static std::atomic<int> quick_blocks, full_blocks;
  for (const std::uint32_t yields : {0u, 1u}) {
    better = nullptr;
    quick_blocks = full_blocks = 0;
    full = KernelCode{};
    full.yields = yields;
    full.save_bytes = yields ? 64 : 4096;
    full.run = [](BlockFrame* frame, std::uint32_t begin, std::uint32_t end) {
      std::memset(frame->saves, 1, 2 * full.save_bytes);
      full_blocks += static_cast<int>(end - begin);
      return finished;
    };
    code_.yields = yields;
    code_.save_bytes = 64;
    code_.better = &better;
    const KernelFunction quick = [](BlockFrame*, std::uint32_t begin, std::uint32_t end) {
      quick_blocks += static_cast<int>(end - begin);
      better = &full;
      return finished;
    };
    EXPECT_EQ(run(quick, {1000}, {64}), std::nullopt);
    EXPECT_EQ(quick_blocks + full_blocks, 1000);
    EXPECT_GT(quick_blocks, 0);
    EXPECT_GT(full_blocks, 900);
  }
}

TEST_F(LaunchTest, BuffersAreAlignedAndLargeEnough) {
  code_.save_bytes = 192;
  code_.local_bytes = 48;
  code_.cached_ranges = 3;
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t, std::uint32_t) {
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(frame->shared) % 128, 0u);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(frame->saves) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(frame->locals) % 64, 0u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(frame->caches[i].size, 0u);
    frame->caches[1] = {1, 2};
    std::memset(frame->shared, 1, 256);
    std::memset(frame->saves, 1, 2 * 192);
    std::memset(frame->locals, 1, 2 * 32 * 48);
    return finished;
  };
  for (int round = 0; round < 3; ++round) run(kernel, {1, 1, 1}, {40, 1, 1});
}

TEST_F(LaunchTest, StopEndsBetweenBlocks) {
  static std::atomic<bool>* flag = nullptr;
  static std::atomic<int> blocks = 0;
  flag = &stop_;
  blocks = 0;
  run(
      [](BlockFrame*, std::uint32_t begin, std::uint32_t end) {
        blocks += static_cast<int>(end - begin);
        *flag = true;
        return finished;
      },
      {1000000, 1, 1}, {1, 1, 1});
  EXPECT_LT(blocks, 1000000);
}

TEST_F(LaunchTest, PrintsInTheOrderOfBlocksAndLanes) {
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t x = begin; x < end; ++x) {
      spend(20000);
      LaneCall lanes;
      std::uint32_t values[2][2] = {{x, 1}, {x, 5}};
      lanes.mask = 1u << 1 | 1u << 5;
      for (const int lane : {1, 5}) {
        lanes.arguments[0][lane] = reinterpret_cast<std::uint64_t>("%d.%d ");
        lanes.arguments[1][lane] = reinterpret_cast<std::uint64_t>(values[lane / 4]);
      }
      EXPECT_EQ(call(frame, Service::print, lanes), 0u);
      EXPECT_EQ(lanes.results[5], 2u);
    }
    return finished;
  };
  run(kernel, {300, 1, 1}, {32, 1, 1});
  std::string expected;
  for (int x = 0; x < 300; ++x) expected += std::to_string(x) + ".1 " + std::to_string(x) + ".5 ";
  EXPECT_EQ(text_, expected);
}

// A store of lane 9 of warp 1 goes to the address in the parameter.
std::uint32_t storing(BlockFrame* frame, std::uint32_t begin, std::uint32_t) {
  frame->block_index[0] = begin;
  if (begin != 2) return finished;
  LaneCall lanes;
  lanes.mask = 1u << 8 | 1u << 9;
  lanes.warp = 1;
  lanes.arguments[0][8] = frame->launch->bounds[0].begin;
  std::memcpy(&lanes.arguments[0][9], frame->launch->parameters, 8);
  return call(frame, Service::check_access, lanes) ? left : finished;
}

TEST_F(LaunchTest, AnAccessBeyondItsArrayIsAFaultByNameAndIndex) {
  code_.sites = {site(0)};
  bounds_[0] = {base_, 400};
  parameter_ = base_ + 400;
  const std::optional<Fault> fault = run(storing, {3, 1, 1}, {16, 4, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault->array, "x");
  EXPECT_EQ(fault->element, 100);
  EXPECT_EQ(fault->elements, 100u);
  EXPECT_EQ(fault->access, Access::write);
  EXPECT_EQ(fault->block, (Dim3{2, 0, 0}));
  EXPECT_EQ(fault->thread, (Dim3{9, 2, 0}));  // 41 of rows of 16
  EXPECT_EQ(fault->source, "In[3]");
  EXPECT_EQ(fault->line, 7);
  EXPECT_EQ(fault->entry, "kernel");
  EXPECT_EQ(fault->launches, std::vector<std::uint64_t>{7});
  EXPECT_EQ(fault->message, "write of x[100], which has 100 elements");
}

TEST_F(LaunchTest, TheNeighboursArrayIsBeyondToo) {
  code_.sites = {site(0)};
  bounds_[0] = {base_ + 512, 800};
  parameter_ = base_;
  const std::optional<Fault> fault = run(storing, {3, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->array, "y");
  EXPECT_EQ(fault->element, -64);
  EXPECT_EQ(fault->elements, 100u);
}

TEST_F(LaunchTest, AnElementThatIsHalfInsideIsBeyond) {
  code_.sites = {site(0)};
  bounds_[0] = {base_, 400};
  parameter_ = base_ + 398;
  EXPECT_TRUE(run(storing, {3, 1, 1}, {64, 1, 1}));
  parameter_ = base_ + 396;
  EXPECT_FALSE(run(storing, {3, 1, 1}, {64, 1, 1}));
}

TEST_F(LaunchTest, ElementsAreTheArraysNotTheAccesss) {
  space_.arrays.name({base_ + 4096, 10, 1, "bytes", "char"});
  code_.sites = {site(0)};
  bounds_[0] = {base_ + 4096, 10};
  parameter_ = base_ + 4096 + 8;
  const std::optional<Fault> fault = run(storing, {3, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->element, 8);
  EXPECT_EQ(fault->elements, 10u);
}

TEST_F(LaunchTest, NullPointersAndStrayOnes) {
  code_.sites = {site(-1)};
  bounds_[0] = {base_, 400};
  parameter_ = 64;
  std::optional<Fault> fault = run(storing, {3, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::null_pointer);
  parameter_ = base_ + 1312 + 8;
  fault = run(storing, {3, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(fault->array, "y");
  EXPECT_EQ(fault->element, 101);
  parameter_ = base_ + 512;
  EXPECT_FALSE(run(storing, {3, 1, 1}, {64, 1, 1}));
}

TEST_F(LaunchTest, SharedMemoryHasItsOwnBounds) {
  code_.sites = {site(-1, AccessSite::Space::shared)};
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t, std::uint32_t) {
    LaneCall lanes;
    lanes.mask = 1;
    lanes.arguments[0][0] = 252;  // shared memory is addressed by offsets
    EXPECT_EQ(call(frame, Service::check_access, lanes), 0u);
    lanes.arguments[0][0] += 4;
    return call(frame, Service::check_access, lanes) ? left : finished;
  };
  const std::optional<Fault> fault = run(kernel, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->array, "shared memory");
  EXPECT_EQ(fault->element, 64);
  EXPECT_EQ(fault->elements, 64u);
}

TEST_F(LaunchTest, UnknownOriginsRefreshTheirCache) {
  AccessSite unknown = site(-1);
  unknown.cache = 0;
  code_.sites = {unknown};
  code_.cached_ranges = 1;
  parameter_ = base_ + 520;
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t, std::uint32_t) {
    LaneCall lanes;
    lanes.mask = 1;
    std::memcpy(&lanes.arguments[0][0], frame->launch->parameters, 8);
    EXPECT_EQ(call(frame, Service::check_access, lanes), 0u);
    EXPECT_EQ(frame->caches[0].begin, lanes.arguments[0][0] - 8);
    EXPECT_EQ(frame->caches[0].size, 800u);
    return finished;
  };
  EXPECT_FALSE(run(kernel, {1, 1, 1}, {32, 1, 1}));
}

TEST_F(LaunchTest, AssertPrintsCudasMessage) {
  code_.sites = {site(-1)};
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t, std::uint32_t) {
    LaneCall lanes;
    lanes.mask = 1u << 5 | 1u << 6;
    for (const int lane : {5, 6}) {
      lanes.arguments[0][lane] = reinterpret_cast<std::uint64_t>("x > 0");
      lanes.arguments[1][lane] = reinterpret_cast<std::uint64_t>("/In[3]");
      lanes.arguments[2][lane] = 7;
      lanes.arguments[3][lane] = reinterpret_cast<std::uint64_t>("void k(int)");
    }
    return call(frame, Service::assert_failed, lanes) ? left : finished;
  };
  const std::optional<Fault> fault = run(kernel, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::assertion);
  EXPECT_EQ(fault->thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(errors_,
            "In[3]:7: void k(int): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed.\n"
            "In[3]:7: void k(int): block: [0,0,0], thread: [6,0,0] Assertion `x > 0` failed.\n");
  EXPECT_EQ(fault->message, "In[3]:7: void k(int): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed.");
}

TEST_F(LaunchTest, TrapAndWhatCannotBeDone) {
  code_.sites = {site(-1), site(-1)};
  code_.sites[0].operation.opcode = ptx::Opcode::trap;
  code_.sites[1].operation.opcode = ptx::Opcode::call;
  static std::uint32_t which = 0;
  const KernelFunction kernel = [](BlockFrame* frame, std::uint32_t, std::uint32_t) {
    LaneCall lanes;
    lanes.mask = 1;
    lanes.site = which;
    return call(frame, Service::trap, lanes) ? left : finished;
  };
  which = 0;
  EXPECT_EQ(run(kernel, {1, 1, 1}, {32, 1, 1})->kind, FaultKind::trap);
  which = 1;
  EXPECT_EQ(run(kernel, {1, 1, 1}, {32, 1, 1})->kind, FaultKind::unsupported);
}

}  // namespace
}  // namespace xcuda::device::cpu
