// A set of small integers of a fixed universe: blocks or registers of one kernel. To join sets and to visit their
// members takes time for the members, as a kernel has thousands of both and a block needs few of them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace xcuda::device::cpu {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size) : words_((size + 63) / 64), used_((words_.size() + 63) / 64) {}

  bool contains(std::size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(std::size_t i) {
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
    use(i / 64);
  }
  void erase(std::size_t i) { erase(i / 64, std::uint64_t{1} << (i % 64)); }
  bool empty() const { return first() == SIZE_MAX; }
  std::size_t first() const {  // SIZE_MAX: none
    for (std::size_t u = 0; u < used_.size(); ++u)
      if (used_[u]) {
        const std::size_t w = u * 64 + lowest(used_[u]);
        return w * 64 + lowest(words_[w]);
      }
    return SIZE_MAX;
  }
  std::size_t count() const {
    std::size_t sum = 0;
    each_word([&](std::size_t w) { sum += static_cast<std::size_t>(std::popcount(words_[w])); });
    return sum;
  }
  // Returns whether anything was added.
  bool insert(const BitSet& other) {
    std::uint64_t added = 0;
    other.each_word([&](std::size_t w) {
      added |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    });
    for (std::size_t u = 0; u < used_.size(); ++u) used_[u] |= other.used_[u];
    return added != 0;
  }
  // Inserts another set and visits what was added.
  template <class Visit> void each_added(const BitSet& other, Visit visit) {
    other.each_word([&](std::size_t w) {
      const std::uint64_t added = other.words_[w] & ~words_[w];
      words_[w] |= added;
      use(w);
      each_bit(w, added, visit);
    });
  }
  void erase(const BitSet& other) {
    other.each_word([&](std::size_t w) { erase(w, other.words_[w]); });
  }
  template <class Visit> void each(Visit visit) const {  // in rising order
    each_word([&](std::size_t w) { each_bit(w, words_[w], visit); });
  }
  std::vector<std::uint32_t> members() const {
    std::vector<std::uint32_t> all;
    each([&](std::uint32_t i) { all.push_back(i); });
    return all;
  }
  bool operator==(const BitSet& other) const { return words_ == other.words_; }

 private:
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  void use(std::size_t word) { used_[word / 64] |= std::uint64_t{1} << (word % 64); }
  void erase(std::size_t word, std::uint64_t bits) {
    words_[word] &= ~bits;
    if (words_[word] == 0) used_[word / 64] &= ~(std::uint64_t{1} << (word % 64));
  }
  template <class Visit> static void each_bit(std::size_t word, std::uint64_t bits, Visit visit) {
    for (; bits; bits &= bits - 1) visit(static_cast<std::uint32_t>(word * 64 + lowest(bits)));
  }
  template <class Visit> void each_word(Visit visit) const {  // that holds members
    for (std::size_t u = 0; u < used_.size(); ++u)
      for (std::uint64_t left = used_[u]; left; left &= left - 1) visit(u * 64 + lowest(left));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> used_;  // a bit for each word that is not 0
};

inline BitSet common(const BitSet& a, const BitSet& b) {
  BitSet outside = a, inside = a;
  outside.erase(b);
  inside.erase(outside);
  return inside;
}

}  // namespace xcuda::device::cpu
