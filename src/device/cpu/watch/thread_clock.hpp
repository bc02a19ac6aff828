// What a thread knows of others, for --race: until when their accesses are ordered before what it does next. Times are
// those of marks; an access is known if it is older.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xcuda::device::cpu {

class ThreadClock {
 public:
  // Threads as one number, which rises with the block.
  using Threads = std::uint64_t;
  static Threads thread(std::uint64_t block, std::uint32_t thread) { return block << kBits | thread; }
  static Threads warp(std::uint64_t block, std::uint32_t warp) { return block << kBits | kWarps | warp; }
  static Threads all(std::uint64_t block) { return block << kBits | kAll; }
  // The atomics of a thread, where more of it is not known: those that passed on what its fence had released.
  static Threads atomics(std::uint64_t block, std::uint32_t thread) { return block << kBits | kAtomics | thread; }

  // How long others may refer to it.
  enum class Kept : std::uint8_t { briefly, for_launch };
  ThreadClock() = default;
  explicit ThreadClock(Kept kept) : kept_(kept) {}

  bool empty() const { return entries_.empty() && heard_.empty(); }
  std::uint32_t changed() const { return changed_; }  // when
  bool knows(std::uint64_t block, std::uint32_t thread, std::uint32_t time) const;
  bool knows_atomic(std::uint64_t block, std::uint32_t thread, std::uint32_t time) const;

  void add(Threads threads, std::uint32_t until, std::uint32_t now);
  void add(const ThreadClock& other, std::uint32_t now);
  bool is_long() const { return entries_.size() > kMostCopied; }
  // Adds what was told at an address by now. A long list is referred to, if it is kept.
  void hear(const ThreadClock& told, std::uint32_t now);
  void clear();

 private:
  static constexpr unsigned kBits = 12;
  static constexpr Threads kAtomics = 1 << 10, kWarps = 2 << 10, kAll = 3 << 10;
  static constexpr std::size_t kMostCopied = 256;  // entries
  struct Entry {
    Threads threads;
    std::uint32_t until;
  };
  struct Heard {
    const ThreadClock* told;
    std::uint32_t until;
  };
  bool holds(Threads threads, std::uint32_t time) const;
  bool finds(std::span<const Threads> any, std::uint32_t time) const;
  void refer(const Heard& heard, std::uint32_t now);

  std::vector<Entry> entries_;  // by threads, rising
  std::vector<Heard> heard_;
  std::uint32_t changed_ = 0;
  Kept kept_ = Kept::briefly;
};

}  // namespace xcuda::device::cpu
