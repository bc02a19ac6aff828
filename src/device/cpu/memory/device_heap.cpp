#include "device/cpu/memory/device_heap.hpp"

#include <cstdlib>

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kAlignment = 16;  // bytes, as CUDA's malloc promises

}  // namespace

DeviceHeap::~DeviceHeap() {
  for (const auto& [address, size] : blocks_) std::free(reinterpret_cast<void*>(address));
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > limit_ || used_ > limit_ - bytes) return 0;
  void* block = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (block == nullptr) return 0;
  const auto address = reinterpret_cast<std::uint64_t>(block);
  blocks_.emplace(address, bytes);
  used_ += bytes;
  return address;
}

bool DeviceHeap::release(std::uint64_t address) {
  if (address == 0) return true;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  used_ -= found->second;
  blocks_.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return true;
}

std::optional<AddressRange> DeviceHeap::find(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const auto& [begin, size] = *std::prev(after);
  if (address - begin >= size) return std::nullopt;
  return AddressRange{begin, size};
}

}  // namespace xcuda::device::cpu
