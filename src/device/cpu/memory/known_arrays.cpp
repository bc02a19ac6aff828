#include "device/cpu/memory/known_arrays.hpp"

namespace xcuda::device::cpu {

const ArrayRange* ArrayTable::below(Address address) const {
  const auto after = arrays_.upper_bound(address);
  return after == arrays_.begin() ? nullptr : &std::prev(after)->second;
}

const ArrayRange* ArrayTable::find(Address address) const {
  const ArrayRange* range = below(address);
  return range && address - range->address <= range->size ? range : nullptr;
}

bool ArrayTable::any_in(Address begin, std::uint64_t size) const {
  const auto first = arrays_.lower_bound(begin);
  return first != arrays_.end() && first->first - begin < size;
}

const ArrayRange* ArrayTable::at(Address address) const {
  const auto found = arrays_.find(address);
  return found == arrays_.end() ? nullptr : &found->second;
}

}  // namespace xcuda::device::cpu
