#include "runtime/memory_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/cpu/cpu_device.hpp"
#include "runtime/lent_device.hpp"

namespace xcuda::runtime {
namespace {

using Kind = Allocation::Kind;
using device::Address;

const char* maker_of(const Allocation& allocation) {
  switch (allocation.kind) {
    case Kind::array: return "cudaMallocArray";
    case Kind::managed: return "cudaMallocManaged";
    case Kind::pinned: return "cudaMallocHost";
    case Kind::registered: return "cudaHostRegister";
    case Kind::opened: return allocation.pool == nullptr ? "cudaIpcOpenMemHandle" : "cudaMemPoolImportPointer";
    case Kind::mapped: return "cuMemMap";
    case Kind::condition: return "cudaGraphConditionalHandleCreate";
    default: return "cudaMalloc";
  }
}

// Not of this map's own memory.
bool is_foreign(Kind kind) { return kind == Kind::registered || kind == Kind::opened || kind == Kind::mapped; }

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

device::MemoryPlan plan_for(device::Device& device) {
  if (lent_device() == nullptr) return {};
  device::MemoryPlan plan;
  plan.part = lent_part(device.info().window);
  plan.first_id = kFirstLentId;
  return plan;
}

}  // namespace

MemoryMap::MemoryMap(device::Device& device) : device_(device), memory_(device, plan_for(device)) {}

// So that accesses are checked against it, in bytes: the type of its elements is not known.
void MemoryMap::name(const Allocation& allocation) {
  const device::ArrayRange range{.address = allocation.address,
                                 .size = allocation.size,
                                 .element_size = 1,
                                 .name = fmt::format("{} no. {}", maker_of(allocation), allocation.id),
                                 .element = "unsigned char"};
  if (lent_device() == nullptr) device::cpu::beside(device_).name(range);
  device_.post_name_range(range);
}

Address MemoryMap::allocate(Allocation allocation) {
  const std::lock_guard lock(mutex_);
  allocation.address = memory_.allocate(std::max<std::uint64_t>(allocation.size, 1));
  allocation.id = ++made_;
  allocations_[allocation.address] = allocation;
  name(allocation);
  return allocation.address;
}

bool MemoryMap::add(const Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  const auto after = allocations_.upper_bound(allocation.address);
  if (after != allocations_.end() && after->first < allocation.address + allocation.size) return false;
  if (after != allocations_.begin()) {
    const auto& before = std::prev(after)->second;
    if (before.address + before.size > allocation.address) return false;
  }
  auto& added = allocations_[allocation.address] = allocation;
  if (!is_foreign(allocation.kind)) return true;
  added.id = ++made_;
  name(added);
  return true;
}

bool MemoryMap::free(const void* address, std::initializer_list<Kind> kinds) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address_of(address));
  if (found == allocations_.end()) return false;
  const Kind kind = found->second.of_module ? Kind::variable : found->second.kind;
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return false;
  if (kind != Kind::variable) device_.post_forget_range(found->first);
  const bool own = !is_foreign(kind) && kind != Kind::variable;
  if (own) memory_.free(found->first);
  allocations_.erase(found);
  return true;
}

std::optional<Allocation> MemoryMap::find(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto after = allocations_.upper_bound(address_of(address));
  if (after != allocations_.begin()) {
    const auto& found = std::prev(after)->second;
    if (address_of(address) - found.address < found.size) return found;
  }
  if (lent_device() == nullptr) return std::nullopt;
  const auto array = device::cpu::find_range(device_, address_of(address));  // of the session
  if (!array) return std::nullopt;
  return Allocation{.kind = Kind::device, .address = array->address, .size = array->size};
}

std::optional<Allocation> MemoryMap::at(const void* address) const {
  const auto found = find(address);
  return found && found->address == address_of(address) ? found : std::nullopt;
}

std::optional<MemoryMap::Place> MemoryMap::place_of(const Allocation& allocation) const {
  const std::lock_guard lock(mutex_);
  for (const auto& piece : memory_.pieces())
    if (piece.descriptor && allocation.address - piece.address < piece.size)
      return Place{piece.descriptor.get(), allocation.address - piece.address};
  return std::nullopt;
}

bool MemoryMap::fits(const void* address, std::uint64_t bytes) const {
  const auto found = find(address);
  return !found || bytes <= found->size - (address_of(address) - found->address);
}

}  // namespace xcuda::runtime
