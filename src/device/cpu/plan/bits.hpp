// A set of small integers of a fixed universe: blocks or registers of one kernel.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace xcuda::device::cpu {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size) : words_((size + 63) / 64) {}

  bool contains(std::size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool empty() const {
    for (std::uint64_t word : words_)
      if (word) return false;
    return true;
  }
  std::size_t first() const {  // SIZE_MAX: none
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i]) return i * 64 + static_cast<std::size_t>(std::countr_zero(words_[i]));
    return SIZE_MAX;
  }
  std::size_t count() const {
    std::size_t sum = 0;
    for (std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  // Returns whether anything was added.
  bool insert(const BitSet& other) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      added |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return added != 0;
  }
  // Inserts another set and visits what was added.
  template <class Visit> void each_added(const BitSet& other, Visit visit) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t added = other.words_[i] & ~words_[i];
      words_[i] |= added;
      for (std::uint64_t word = added; word; word &= word - 1)
        visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word)));
    }
  }
  void erase(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  template <class Visit> void each(Visit visit) const {  // in rising order
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t word = words_[i]; word; word &= word - 1)
        visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word)));
  }
  std::vector<std::uint32_t> members() const {
    std::vector<std::uint32_t> all;
    each([&](std::uint32_t i) { all.push_back(i); });
    return all;
  }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

inline BitSet common(const BitSet& a, const BitSet& b) {
  BitSet outside = a, inside = a;
  outside.erase(b);
  inside.erase(outside);
  return inside;
}

}  // namespace xcuda::device::cpu
