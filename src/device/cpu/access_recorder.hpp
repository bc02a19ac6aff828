// What --race and --init know of a launch: for each word the last write and two reads, with who and when. Blocks run
// one after the other then, so that the answer is the same each time; whether two accesses race is decided by what
// orders them, not by the order in which they happened to run:
//   - threads of one warp are ordered by __syncwarp, shuffles and votes; threads of a block by barriers;
//   - blocks by nothing, but for a fence of the one after its access and an atomic of the other before its own;
//   - atomics do not conflict with atomics, and two writes of the same value do not conflict.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/cpu/kernel_abi.hpp"
#include "device/cpu/translator.hpp"

namespace xcuda::device::cpu {

class AccessRecorder {
 public:
  // most: bytes of its own memory that it may take.
  AccessRecorder(const KernelCode& code, Checks checks, std::uint64_t most)
      : code_(code), checks_(checks), most_(most) {}

  // One access that an earlier one conflicts with, or a read of what nobody wrote.
  struct Finding {
    enum class Kind : std::uint8_t { race, uninitialised, barrier, too_much } kind = Kind::race;
    std::uint32_t lane = 0;
    Address address = 0;
    std::uint32_t other_site = 0;    // of the earlier access
    std::uint32_t other_thread = 0;  // linear, in its block
    std::uint64_t other_block = 0;   // linear, in the grid
    bool other_block_differs = false;
    Access other_access = Access::unknown;
  };
  std::optional<Finding> access(const BlockFrame& frame, const LaneCall& call, const CheckedAccesses& accesses);
  std::optional<Finding> arrive(const BlockFrame& frame, const LaneCall& call);  // at a barrier
  void suspended(const BlockFrame& frame, const LaneCall& call);  // all lanes of a warp wait at barriers; mask 0: no
  void warp_synchronised(const BlockFrame& frame, const LaneCall& call);
  void fence(const BlockFrame& frame);

 private:
  struct Mark {
    std::uint64_t time = 0;  // 0: none
    std::uint32_t block = 0;
    std::uint32_t thread : 10 = 0;
    std::uint32_t site : 22 = 0;
  };
  struct Word {
    Mark write, reads[2];
    std::uint32_t value = 0;  // written
    bool atomic = false;      // the write was
  };
  // Words of 4 bytes; of one byte in pages where smaller accesses were seen.
  struct Page {
    std::uint32_t word_bytes = 4;
    std::vector<Word> words;
  };
  struct BlockState {
    std::vector<std::uint32_t> warp_phase;  // barriers passed
    std::vector<std::uint64_t> warp_time;   // of the last synchronisation in the warp
    std::uint32_t phase = 0;
    std::uint64_t phase_time = 0;           // when the phase began
    std::uint64_t released = 0;             // of the last fence
    bool acquired = false;                  // an atomic has been done
    std::optional<std::uint32_t> waits_at;  // site of the barrier of this phase
    std::uint32_t waits_thread = 0;
  };
  struct Now {
    std::uint32_t block, thread, warp, site;
    Access kind;
    bool shared;
  };

  BlockState& state_of(const BlockFrame& frame);
  BlockState& running(const BlockFrame& frame, std::uint32_t warp);
  bool ordered(const BlockState& state, const Mark& mark, const Now& now) const;
  bool touch(const BlockState& state, Word& word, const Now& now, std::optional<std::uint32_t> value,
             Finding& finding) const;
  Page* page_of(std::uint64_t number, std::uint32_t size);

  const KernelCode& code_;
  Checks checks_;
  std::uint64_t most_, taken_ = 0;
  std::uint64_t time_ = 0;
  std::unordered_map<std::uint64_t, BlockState> blocks_;
  std::uint64_t block_ = ~std::uint64_t{0};
  BlockState* current_ = nullptr;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t page_number_ = ~std::uint64_t{0};
  Page* page_ = nullptr;
  std::unordered_map<const std::byte*, std::vector<std::uint64_t>> written_;  // of shared memory: by whom, plus 1
};

}  // namespace xcuda::device::cpu
