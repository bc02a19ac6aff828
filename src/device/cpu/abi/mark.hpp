// A mark of --race: which thread touched a word, and when. Generated code makes and compares marks by itself.
#pragma once

#include <cstdint>

namespace xcuda::device::cpu {

// 64 bits: time, which readers, atomic, site, thread. A mark is younger than another if it is the greater number, as
// far as times differ.
class Mark {
 public:
  // Who made the reads that share one mark: one thread, threads of one warp, of one block, of several blocks.
  enum class Readers : std::uint8_t { thread, warp, block, grid };

  static constexpr std::uint32_t kThreadBits = 10, kSiteBits = 18;
  static constexpr std::uint64_t kThreadMask = (1 << kThreadBits) - 1, kWarpMask = kThreadMask & ~std::uint64_t{31};
  static constexpr std::uint64_t kAtomicBit = std::uint64_t{1} << (kThreadBits + kSiteBits);
  static constexpr unsigned kReadersShift = kThreadBits + kSiteBits + 1, kTimeShift = 32;
  static constexpr std::uint64_t kReadersMask = std::uint64_t{3} << kReadersShift;
  static constexpr std::uint32_t kPending = 0xffff'ffff;  // a time: a copy under way, which no barrier waits for

  Mark() = default;
  explicit Mark(std::uint64_t bits) : bits_(bits) {}
  Mark(std::uint32_t time, std::uint32_t thread, std::uint32_t site)
      : bits_(at(time) | std::uint64_t{site & ((1u << kSiteBits) - 1)} << kThreadBits | thread) {}

  static std::uint64_t at(std::uint32_t time) { return std::uint64_t{time} << kTimeShift; }
  std::uint64_t bits() const { return bits_; }
  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> kTimeShift); }
  std::uint32_t thread() const { return bits_ & kThreadMask; }
  std::uint32_t site() const { return bits_ >> kThreadBits & ((1u << kSiteBits) - 1); }
  bool atomic() const { return bits_ & kAtomicBit; }
  Readers readers() const { return static_cast<Readers>(bits_ >> kReadersShift & 3); }
  Mark with(Readers readers) const { return Mark((bits_ & ~kReadersMask) | std::uint64_t(readers) << kReadersShift); }
  Mark as_atomic() const { return Mark(bits_ | kAtomicBit); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace xcuda::device::cpu
