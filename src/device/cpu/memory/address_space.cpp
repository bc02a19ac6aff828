#include "device/cpu/memory/address_space.hpp"

namespace xcuda::device::cpu {
namespace {

const VariableInfo* variable_of(const std::map<Address, VariableInfo>& variables, Address address) {
  const auto after = variables.upper_bound(address);
  if (after == variables.begin()) return nullptr;
  const VariableInfo& variable = std::prev(after)->second;
  return address - variable.address < variable.size ? &variable : nullptr;
}

}  // namespace

std::optional<AddressRange> AddressSpace::find(Address address) {
  if (const ArrayRange* array = arrays.find(address); array && address < array->address + array->size)
    return AddressRange{array->address, array->size};
  if (const VariableInfo* variable = variable_of(variables, address))  // in memory of its own, or placed
    return AddressRange{variable->address, variable->size};
  if (const MemoryRequest* piece = memory.find(address, 1)) {
    if (arrays.any_in(piece->address, piece->size)) return std::nullopt;
    return AddressRange{piece->address, piece->size};
  }
  return heap.find(address);
}

AddressRange AddressSpace::bounds_of(Address pointer) {
  if (const std::optional<AddressRange> range = find(pointer)) return *range;
  if (const ArrayRange* array = arrays.find(pointer)) return {array->address, array->size};
  return {};
}

bool AddressSpace::contains(Address address, std::uint64_t size) {
  if (memory.find(address, size)) return true;
  const VariableInfo* variable = variable_of(variables, address);
  return variable && size <= variable->size - (address - variable->address);
}

ArrayRange AddressSpace::describe(Address begin) {
  if (const ArrayRange* array = arrays.at(begin)) return *array;
  if (const VariableInfo* variable = variable_of(variables, begin))
    return {variable->address, variable->size, 0, variable->symbol, ""};
  return {0, 0, 0, "", ""};
}

}  // namespace xcuda::device::cpu
