// Runs the blocks of a launch on the pool.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/handle.hpp"
#include "device/cpu/run/launch_state.hpp"
#include "device/cpu/run/thread_pool.hpp"

namespace xcuda::device::cpu {

// Bytes aligned to 128, kept between launches. Zero when they are new.
class FrameBuffer {
 public:
  FrameBuffer() = default;
  FrameBuffer(FrameBuffer&& other) noexcept;
  FrameBuffer& operator=(FrameBuffer&&) = delete;
  ~FrameBuffer();
  std::byte* at_least(std::uint64_t size);

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

class BlockRunner {
 public:
  explicit BlockRunner(ThreadPool& pool) : pool_(pool), memory_(static_cast<std::size_t>(pool.threads())) {}

  // Runs until all blocks are done, one faults, or the state's stop is set.
  enum class End : std::uint8_t { done, fault, cut };
  End run(LaunchState& state);

 private:
  struct FrameMemory {
    FrameBuffer shared, saves, locals, caches;
  };
  struct Progress;
  struct Resident;
  static void begin_frame(LaunchState& state, FrameMemory& memory, BlockFrame& frame, ThreadState& own);
  void work_resumable(LaunchState& state, Progress& progress, int thread, Pace::Worker& worker);
  void work(LaunchState& state, Progress& progress, int thread, Pace::Worker& worker);

  ThreadPool& pool_;
  std::vector<FrameMemory> memory_;                           // by thread
  std::unordered_map<const KernelCode*, double> block_time_;  // ns of one block, from earlier launches
};

}  // namespace xcuda::device::cpu
