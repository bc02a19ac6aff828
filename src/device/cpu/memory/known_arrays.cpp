#include "device/cpu/memory/known_arrays.hpp"

namespace xcuda::device::cpu {

namespace {

const ArrayRange* last_up_to(const std::map<Address, ArrayRange>& arrays, Address address) {
  const auto after = arrays.upper_bound(address);
  return after == arrays.begin() ? nullptr : &std::prev(after)->second;
}

bool any_from(const std::map<Address, ArrayRange>& arrays, Address begin, std::uint64_t size) {
  const auto first = arrays.lower_bound(begin);
  return first != arrays.end() && first->first - begin < size;
}

}  // namespace

void ArrayTable::announce(ArrayRange range) {
  range.element_size = std::max(range.element_size, 1u);
  const std::lock_guard lock(mutex_);
  announced_.insert_or_assign(range.address, std::move(range));
  announcements_ = announced_.size();
}

void ArrayTable::drop_announced(Address address) {
  if (announcements_ == 0) return;
  const std::lock_guard lock(mutex_);
  announced_.erase(address);
  announcements_ = announced_.size();
}

const ArrayRange* ArrayTable::below(Address address) const {
  const ArrayRange* known = last_up_to(arrays_, address);
  if (announcements_ == 0) return known;
  const std::lock_guard lock(mutex_);
  const ArrayRange* announced = last_up_to(announced_, address);
  return announced && (!known || announced->address >= known->address) ? announced : known;
}

const ArrayRange* ArrayTable::find(Address address) const {
  const ArrayRange* range = below(address);
  return range && address - range->address <= range->size ? range : nullptr;
}

bool ArrayTable::any_in(Address begin, std::uint64_t size) const {
  if (any_from(arrays_, begin, size)) return true;
  if (announcements_ == 0) return false;
  const std::lock_guard lock(mutex_);
  return any_from(announced_, begin, size);
}

const ArrayRange* ArrayTable::at(Address address) const {
  const ArrayRange* found = below(address);
  return found && found->address == address ? found : nullptr;
}

}  // namespace xcuda::device::cpu
