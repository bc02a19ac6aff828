// Which thread touched a word last, for --race: each word of an array or of shared memory has two marks, of its last
// write and of its reads. Shadows stay between launches, because touching them first takes longer than a launch does:
// marks of earlier launches are older than this launch's beginning and mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/mark.hpp"

namespace xcuda::device::cpu {

// What orders an access after earlier ones, as marks: those that are older are.
struct Order {
  std::uint64_t launch = 0;  // nothing is known of what is older
  std::uint64_t block = 0;   // what is younger was done by this block, where blocks run one after the other
  std::uint64_t phase = 0;   // since then this block has passed no barrier
  std::uint64_t warp = 0;    // since then the warp has not been synchronised
};

// The marks of words that lie one after the other, each touched by one thread of a warp in turn.
struct MarkRow {
  std::uint64_t *writes, *reads;
  std::uint64_t mark;  // of the first thread
  std::uint32_t words;
  unsigned thread_shift;  // word i is touched by the thread that is i >> thread_shift after the first one
};
// Whether all of the words could be marked, because the access was ordered after all known accesses of them. If not,
// none is marked, and they have to be examined one by one.
bool mark_reads(const MarkRow& row, const Order& order);
bool mark_writes(const MarkRow& row, const Order& order);

// The shadow of a range of addresses.
struct Shadow {
  std::uint64_t begin = 0, size = 0;  // bytes
  unsigned unit_shift = 2;            // a word has 1 << unit_shift bytes
  std::uint64_t *writes = nullptr, *reads = nullptr;
  std::vector<bool> touched;  // by pieces of kPieceWords; the others take no memory yet

  static constexpr std::uint64_t kPieceWords = 1 << 15;
  std::uint64_t words() const { return (size + (std::uint64_t{1} << unit_shift) - 1) >> unit_shift; }
  std::uint64_t bytes() const { return 2 * words() * sizeof(std::uint64_t); }  // of both marks
  bool contains(std::uint64_t address) const { return address - begin < size; }
};

class Shadows {
 public:
  Shadows() = default;
  Shadows(const Shadows&) = delete;
  Shadows& operator=(const Shadows&) = delete;
  ~Shadows() { clear(); }

  // Begins a launch whose shadows may take `most` bytes, with words of this size. Returns a time later than all before.
  std::uint32_t begin(std::uint64_t most, unsigned unit_shift);
  void end(std::uint32_t time) { time_ = time; }  // the latest one of the launch

  // The shadow of a range; null if memory for it runs out.
  Shadow* of(const AddressRange& range);
  // Called before words are marked, for at most one piece of them. False: that takes too much memory.
  bool touch(Shadow& shadow, std::uint64_t first, std::uint64_t last) {
    for (const std::uint64_t piece : {first / Shadow::kPieceWords, last / Shadow::kPieceWords}) {
      if (shadow.touched[piece]) continue;
      shadow.touched[piece] = true;
      taken_ += Shadow::kPieceWords * 2 * sizeof(std::uint64_t);
    }
    return taken_ <= most_;
  }
  // Touches all words of a shadow, if that takes no more than half of the memory; else false.
  bool touch_all(Shadow& shadow);
  void clear();

 private:
  std::map<std::uint64_t, std::unique_ptr<Shadow>> all_;  // by their beginning
  std::uint64_t most_ = 0, taken_ = 0;                    // bytes
  unsigned unit_shift_ = 2;
  std::uint32_t time_ = 0;
};

}  // namespace xcuda::device::cpu
