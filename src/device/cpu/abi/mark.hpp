// A mark of --race: who touched a word, and when. Generated code makes and compares marks by itself.
#pragma once

#include <cstdint>

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

}  // namespace xcuda::device::cpu
