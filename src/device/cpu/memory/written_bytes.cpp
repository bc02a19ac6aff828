#include "device/cpu/memory/written_bytes.hpp"

#include <algorithm>

namespace xcuda::device::cpu {
namespace {

// Calls back with each word of bits that holds some of [begin, begin + count), and a mask of them.
template <class Function> void each_word(std::uint64_t begin, std::uint64_t count, Function function) {
  for (std::uint64_t at = begin, end = begin + count; at < end;) {
    const std::uint64_t low = at % 64, bits = std::min<std::uint64_t>(64 - low, end - at);
    function(at / 64, (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << low);
    at += bits;
  }
}

}  // namespace

void WrittenBytes::declare(std::uint64_t begin, std::uint64_t size) { arrays_[begin] = {begin, size, {}}; }

WrittenBytes::Array* WrittenBytes::find(std::uint64_t address) {
  const auto after = arrays_.upper_bound(address);
  if (after == arrays_.begin()) return nullptr;
  Array& array = std::prev(after)->second;
  return address - array.begin < array.size ? &array : nullptr;
}

void WrittenBytes::write(std::uint64_t begin, std::uint64_t size) {
  for (auto at = arrays_.begin(); at != arrays_.end() && at->first < begin + size;) {
    Array& array = at->second;
    const std::uint64_t from = std::max(begin, array.begin), to = std::min(begin + size, array.begin + array.size);
    const bool whole = from == array.begin && to == array.begin + array.size;
    if (from < to && !whole) write(array, from, to - from);
    at = whole ? arrays_.erase(at) : std::next(at);
  }
}

void WrittenBytes::write_array(std::uint64_t address) {
  if (const Array* array = find(address)) arrays_.erase(array->begin);
}

void WrittenBytes::write(Array& array, std::uint64_t address, std::uint64_t bytes) {
  if (array.bits.empty()) array.bits.resize(array.size / 64 + 1);
  const std::uint64_t begin = address - array.begin;
  each_word(begin, std::min(bytes, array.size - begin),
            [&](std::uint64_t word, std::uint64_t mask) { array.bits[word] |= mask; });
}

bool WrittenBytes::Array::written(std::uint64_t address, std::uint64_t bytes) const {
  bool all = !bits.empty();
  if (all)
    each_word(address - begin, std::min(bytes, size - (address - begin)),
              [&](std::uint64_t word, std::uint64_t mask) { all &= (bits[word] & mask) == mask; });
  return all;
}

}  // namespace xcuda::device::cpu
