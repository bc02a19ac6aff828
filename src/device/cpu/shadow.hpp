// Who touched a word last, for --race: beside each word of an array or of shared memory stand two marks, of its last
// write and of its reads. Shadows stay between launches, because touching them first takes longer than a launch does:
// marks of earlier launches are older than this launch's beginning and mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "device/cpu/kernel_abi.hpp"

namespace xcuda::device::cpu {

// 64 bits: time, which readers, atomic, site, thread. A mark is younger than another if it is the greater number, as
// far as times differ.
class Mark {
 public:
  // Of reads that are known by one mark: one thread, threads of one warp, of one block, of several blocks.
  enum class Readers : std::uint8_t { thread, warp, block, grid };

  static constexpr std::uint32_t thread_bits = 10, site_bits = 18;
  static constexpr std::uint64_t thread_mask = (1 << thread_bits) - 1, warp_mask = thread_mask & ~std::uint64_t{31};
  static constexpr std::uint64_t atomic_bit = std::uint64_t{1} << (thread_bits + site_bits);
  static constexpr unsigned readers_shift = thread_bits + site_bits + 1, time_shift = 32;
  static constexpr std::uint64_t readers_mask = std::uint64_t{3} << readers_shift;
  static constexpr std::uint32_t pending = 0xffff'ffff;  // a time: a copy under way, which no barrier waits for

  Mark() = default;
  explicit Mark(std::uint64_t bits) : bits_(bits) {}
  Mark(std::uint32_t time, std::uint32_t thread, std::uint32_t site)
      : bits_(at(time) | std::uint64_t{site & ((1u << site_bits) - 1)} << thread_bits | thread) {}

  static std::uint64_t at(std::uint32_t time) { return std::uint64_t{time} << time_shift; }
  std::uint64_t bits() const { return bits_; }
  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> time_shift); }
  std::uint32_t thread() const { return bits_ & thread_mask; }
  std::uint32_t site() const { return bits_ >> thread_bits & ((1u << site_bits) - 1); }
  bool atomic() const { return bits_ & atomic_bit; }
  Readers readers() const { return static_cast<Readers>(bits_ >> readers_shift & 3); }
  Mark with(Readers readers) const { return Mark((bits_ & ~readers_mask) | std::uint64_t(readers) << readers_shift); }
  Mark as_atomic() const { return Mark(bits_ | atomic_bit); }

 private:
  std::uint64_t bits_ = 0;
};

// What orders an access behind earlier ones, as marks: those that are older are.
struct Order {
  std::uint64_t launch = 0;  // nothing is known of what is older
  std::uint64_t block = 0;   // what is younger was done by this block, where blocks run one after the other
  std::uint64_t phase = 0;   // since then this block has passed no barrier
  std::uint64_t warp = 0;    // since then the warp has not been synchronised
};

// The marks of words that lie one behind the other, each touched by one thread of a warp in turn.
struct MarkRow {
  std::uint64_t *writes, *reads;
  std::uint64_t mark;  // of the first thread
  std::uint32_t words;
  unsigned thread_shift;  // word i is touched by the thread that is i >> thread_shift behind the first one
};
// Whether all of the words could be marked, because the access was ordered behind all that is known of them. If not,
// none is marked, and they have to be looked at one by one.
bool mark_reads(const MarkRow& row, const Order& order);
bool mark_writes(const MarkRow& row, const Order& order);

// The shadow of a range of addresses.
struct Shadow {
  std::uint64_t begin = 0, size = 0;  // bytes
  unsigned unit_shift = 2;            // a word has 1 << unit_shift bytes
  std::uint64_t *writes = nullptr, *reads = nullptr;
  std::vector<bool> touched;  // by pieces of piece_words; the others take no memory yet

  static constexpr std::uint64_t piece_words = 1 << 15;
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

  // For a launch whose shadows may take this much memory, with words of this size. Returns a time later than all that
  // were handed out before.
  std::uint32_t begin(std::uint64_t most, unsigned unit_shift);
  void end(std::uint32_t time) { time_ = time; }  // the latest one of the launch

  // Null where there is no memory for it.
  Shadow* of(const AddressRange& range);
  // Before words are marked, at most one piece of them. False: that takes too much memory.
  bool touch(Shadow& shadow, std::uint64_t first, std::uint64_t last) {
    for (const std::uint64_t piece : {first / Shadow::piece_words, last / Shadow::piece_words}) {
      if (shadow.touched[piece]) continue;
      shadow.touched[piece] = true;
      taken_ += Shadow::piece_words * 2 * sizeof(std::uint64_t);
    }
    return taken_ <= most_;
  }
  // All of its words, where that takes no more than half of the memory; else false.
  bool touch_all(Shadow& shadow);
  void clear();

 private:
  std::map<std::uint64_t, std::unique_ptr<Shadow>> all_;  // by their beginning
  std::uint64_t most_ = 0, taken_ = 0;                    // bytes
  unsigned unit_shift_ = 2;
  std::uint32_t time_ = 0;
};

}  // namespace xcuda::device::cpu
