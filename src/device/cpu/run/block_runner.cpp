#include "device/cpu/run/block_runner.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>

#include "device/cpu/run/fault_signals.hpp"

namespace xcuda::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSplitTime = 50'000;  // ns of work that are worth waking another thread (about 10 µs)
constexpr double kChunkTime = 50'000;  // ns of work taken at once

// The part of the calling thread's stack that device functions may take, with a margin for services and signals.
AddressRange stack_for_calls() {
  thread_local const AddressRange range = [] {
    constexpr std::size_t kMargin = 256 << 10;
    pthread_attr_t attributes;
    void* begin = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return AddressRange{};
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    return AddressRange{reinterpret_cast<std::uint64_t>(begin) + kMargin, size - std::min(size, kMargin)};
  }();
  return range;
}

}  // namespace

FrameBuffer::FrameBuffer(FrameBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FrameBuffer::~FrameBuffer() { ::operator delete (data_, std::align_val_t{128}); }

std::byte* FrameBuffer::at_least(std::uint64_t size) {
  if (size > size_) {
    ::operator delete (data_, std::align_val_t{128});
    data_ = nullptr;
    size_ = 0;
    data_ = static_cast<std::byte*>(::operator new (size, std::align_val_t{128}));
    size_ = size;
    std::memset(data_, 0, size);
  }
  return data_;
}

struct BlockRunner::Progress {
  std::uint64_t blocks = 0;
  std::atomic<std::uint64_t> next{0};
  std::atomic<double> block_time{0};  // ns, 0 when unknown
  std::atomic<bool> offered{false};
  std::atomic<bool> cut{false};  // blocks that had begun were given up
  std::function<void(int)> job;

  // The next run of blocks for one thread: as many as take about kChunkTime, and fewer towards the end.
  bool take(std::uint64_t& begin, std::uint64_t& end, int threads) {
    begin = next.load(std::memory_order_relaxed);
    do {
      if (begin >= blocks) return false;
      const double time = block_time.load(std::memory_order_relaxed);
      const std::uint64_t fair =
          std::max<std::uint64_t>((blocks - begin) / (2 * static_cast<std::uint64_t>(threads)), 1);
      const std::uint64_t wanted = time > 0 ? static_cast<std::uint64_t>(std::min(kChunkTime / time, 1e9)) : 1;
      end = begin + std::clamp<std::uint64_t>(wanted, 1, fair);
    } while (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return true;
  }
};

BlockRunner::End BlockRunner::run(LaunchState& state) {
  Progress progress;
  const auto& grid = state.abi.grid;
  progress.blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  double& known_time = block_time_[&state.code];
  progress.block_time = known_time;
  progress.job = [&](int thread) {
    Pace::Worker worker(state.worker.pace());
    work(state, progress, thread, worker);
  };
  work(state, progress, 0, state.worker);
  state.worker.rest();
  if (progress.offered) pool_.finish();
  state.worker.get_on();
  known_time = progress.block_time;
  if (state.left()) return End::fault;
  return progress.cut || progress.next < progress.blocks ? End::cut : End::done;
}

// A block that may wait for others is run alone, with memory of its own, and resumed when others have run.
struct BlockRunner::Resident {
  FrameMemory memory;
  BlockFrame frame;
  ThreadState own;
  std::vector<std::byte> seen;             // its shared memory when it gave way last, and its threads' registers
  std::uint32_t unchanged = 0, still = 0;  // how often its shared memory was the same, and the registers, too

  // Whether it can never go on: its loops wait for mbarriers alone, or for what is in its own shared memory, and all
  // that its threads could change that by stays as it is. A wait that looks at the time keeps changing registers.
  bool is_stuck(const LaunchState& state) {
    constexpr std::uint32_t kEnough = 200, kEnoughStill = 20;
    const WaitsFor waits_for = state.code.waits_for;
    if (waits_for == WaitsFor::anything) return false;
    const std::size_t shared = state.abi.shared_bytes, saves = std::size_t{state.abi.warps} * state.code.save_bytes;
    const bool known = seen.size() == shared + saves;
    const bool same = known && std::memcmp(seen.data(), frame.shared, shared) == 0;
    const bool all_same = same && std::memcmp(seen.data() + shared, frame.saves, saves) == 0;
    unchanged = same ? unchanged + 1 : 0;
    still = all_same ? still + 1 : 0;
    if (!all_same) {
      seen.assign(frame.shared, frame.shared + shared);
      seen.insert(seen.end(), frame.saves, frame.saves + saves);
    }
    return still >= kEnoughStill || (waits_for == WaitsFor::mbarriers && unchanged >= kEnough);
  }
};

void BlockRunner::begin_frame(LaunchState& state, FrameMemory& memory, BlockFrame& frame, ThreadState& own) {
  const KernelCode& code = state.code;
  const std::uint64_t warps = state.abi.warps;
  frame = {};
  frame.launch = &state.abi;
  frame.runtime = &own;
  frame.shared = memory.shared.at_least(state.abi.shared_bytes + 2 * std::uint64_t{kSharedMargin}) + kSharedMargin;
  frame.saves = memory.saves.at_least(warps * code.save_bytes);
  frame.locals = memory.locals.at_least(warps * kLanesPerWarp * code.local_bytes);
  frame.caches = reinterpret_cast<AddressRange*>(memory.caches.at_least(code.cached_ranges * sizeof(AddressRange)));
  std::fill_n(frame.caches, code.cached_ranges, AddressRange{});
  const AddressRange stack = stack_for_calls();
  frame.stack_limit = stack.begin;
  frame.stack_end = stack.begin + stack.size;
  if (state.recorder) frame.view = state.recorder->view_of(frame);
  if (state.counter) frame.view = state.counter->view();
}

void BlockRunner::work_resumable(LaunchState& state, Progress& progress, int thread, Pace::Worker& worker) {
  constexpr std::size_t kRetries = 4;  // of blocks that wait, before a new one is begun
  const bool together = state.request.mode == LaunchMode::cooperative;  // then all have to begin first
  std::deque<std::unique_ptr<Resident>> waiting;
  std::vector<std::unique_ptr<Resident>> spare;
  const std::uint64_t width = state.abi.grid[0], height = state.abi.grid[1];
  if (thread == 0 && !state.blocks_take_turns() && progress.blocks > 1) {
    progress.offered = true;
    pool_.offer(progress.job);
  }
  const auto goes_on = [&] { return !state.left() && !state.stop.load(std::memory_order_relaxed); };
  // Whether the block is done.
  const auto run = [&](Resident& block) {
    set_current_frame(&block.frame);
    const std::uint64_t at = block.own.run_begin;
    const auto x = static_cast<std::uint32_t>(at % width);
    block.frame.block_index[1] = static_cast<std::uint32_t>(at / width % height);
    block.frame.block_index[2] = static_cast<std::uint32_t>(at / width / height);
    const auto outcome = static_cast<Outcome>(newest(state.code).run(&block.frame, x, x + 1));
    set_current_frame(nullptr);
    if (outcome != Outcome::waiting)
      state.output.complete(at, at + 1, block.own.text);
    else if (block.is_stuck(state))
      state.report(stuck_fault(block.frame));
    block.frame.resume = 1;
    return outcome != Outcome::waiting;
  };
  bool more = true;
  while (goes_on() && (more || !waiting.empty())) {
    bool moved = false;
    const std::size_t tries = !more ? waiting.size() : together ? 0 : std::min(waiting.size(), kRetries);
    for (std::size_t i = 0; i < tries && goes_on(); ++i) {
      std::unique_ptr<Resident> block = std::move(waiting.front());
      waiting.pop_front();
      const bool done = run(*block);
      moved |= done;
      if (done)
        spare.push_back(std::move(block));
      else
        waiting.push_back(std::move(block));
    }
    if (more && goes_on()) {
      const std::uint64_t at = progress.next.fetch_add(1, std::memory_order_relaxed);
      more = at < progress.blocks;
      if (more) {
        std::unique_ptr<Resident> block = spare.empty() ? std::make_unique<Resident>() : std::move(spare.back());
        if (!spare.empty()) spare.pop_back();
        begin_frame(state, block->memory, block->frame, block->own);
        block->own.run_begin = at;
        block->own.mbarriers.clear();
        block->seen.clear(), block->unchanged = block->still = 0;
        if (run(*block))
          spare.push_back(std::move(block));
        else
          waiting.push_back(std::move(block));
        moved = true;
      }
    }
    if (moved) {
      worker.get_on();
    } else {  // all wait for blocks of other threads
      worker.rest();
      sched_yield();
    }
  }
  if (more || !waiting.empty()) progress.cut = true;
}

void BlockRunner::work(LaunchState& state, Progress& progress, int thread, Pace::Worker& worker) {
  if (state.code.yields) return work_resumable(state, progress, thread, worker);
  FrameMemory& memory = memory_[static_cast<std::size_t>(thread)];
  ThreadState own;
  BlockFrame frame;
  begin_frame(state, memory, frame, own);
  set_current_frame(&frame);

  const std::uint64_t width = state.abi.grid[0], height = state.abi.grid[1];
  std::uint64_t begin = 0, end = 0;
  while (!state.left() && !state.stop.load(std::memory_order_relaxed) && progress.take(begin, end, pool_.threads())) {
    if (thread == 0 && !state.blocks_take_turns() && !progress.offered.load(std::memory_order_relaxed)) {
      const double left =
          progress.block_time.load(std::memory_order_relaxed) * static_cast<double>(progress.blocks - end);
      if (left > kSplitTime && end < progress.blocks) {
        progress.offered = true;
        pool_.offer(progress.job);
      }
    }
    own.run_begin = begin;
    const KernelCode& code = newest(state.code);
    frame.saves = memory.saves.at_least(state.abi.warps * std::uint64_t{code.save_bytes});
    const Clock::time_point start = Clock::now();
    Outcome outcome = Outcome::finished;
    for (std::uint64_t at = begin; at < end && outcome == Outcome::finished;) {
      const std::uint64_t row = at / width, x = at % width;
      const std::uint64_t stop = std::min(width, x + (end - at));
      frame.block_index[1] = static_cast<std::uint32_t>(row % height);
      frame.block_index[2] = static_cast<std::uint32_t>(row / height);
      outcome = static_cast<Outcome>(code.run(&frame, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(stop)));
      at += stop - x;
    }
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    progress.block_time.store(std::max(time.count() / static_cast<double>(end - begin), 1e-3),
                              std::memory_order_relaxed);
    state.output.complete(begin, end, own.text);
  }
  set_current_frame(nullptr);
}

}  // namespace xcuda::device::cpu
