#include "runtime/memory/mapped_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace xcuda::runtime {
namespace {

void* pointer_at(device::Address at) { return reinterpret_cast<void*>(at); }
constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

cudaError_t MappedMemory::reserve(std::uint64_t bytes, std::uint64_t alignment, Address hint, Address& at) {
  if (bytes == 0 || bytes % kGranularity != 0 || (alignment & (alignment - 1)) != 0) return cudaErrorInvalidValue;
  alignment = std::max(alignment, kGranularity);
  if (bytes > std::numeric_limits<std::uint64_t>::max() - alignment) return cudaErrorMemoryAllocation;
  if (hint != 0 && hint % alignment == 0) {  // taken where it is free
    void* const there = mmap(pointer_at(hint), bytes, PROT_NONE, kReserved | MAP_FIXED_NOREPLACE, -1, 0);
    if (there == pointer_at(hint)) {
      at = hint;
      reservations_[at] = bytes;
      return cudaSuccess;
    }
    if (there != MAP_FAILED) munmap(there, bytes);  // of systems that do not know the flag
  }
  void* const all = mmap(nullptr, bytes + alignment, PROT_NONE, kReserved, -1, 0);
  if (all == MAP_FAILED) return cudaErrorMemoryAllocation;
  const auto begin = reinterpret_cast<Address>(all);
  at = (begin + alignment - 1) / alignment * alignment;
  if (at > begin) munmap(all, at - begin);
  if (begin + alignment > at) munmap(pointer_at(at + bytes), begin + alignment - at);
  reservations_[at] = bytes;
  return cudaSuccess;
}

cudaError_t MappedMemory::release(Address at, std::uint64_t bytes) {
  const auto found = reservations_.find(at);
  if (found == reservations_.end() || found->second != bytes) return cudaErrorInvalidValue;
  const auto mapping = mappings_.lower_bound(at);
  if (mapping != mappings_.end() && mapping->first < at + bytes) return cudaErrorInvalidValue;
  munmap(pointer_at(at), bytes);
  reservations_.erase(found);
  return cudaSuccess;
}

cudaError_t MappedMemory::map(Address at, std::uint64_t bytes, const std::shared_ptr<MemoryFile>& file) {
  auto range = reservations_.upper_bound(at);
  if (range == reservations_.begin() || bytes == 0 || bytes % kGranularity != 0 || at % kGranularity != 0)
    return cudaErrorInvalidValue;
  --range;
  if (bytes > file->size || at + bytes > range->first + range->second) return cudaErrorInvalidValue;
  const auto after = mappings_.lower_bound(at);
  if (after != mappings_.end() && after->first < at + bytes) return cudaErrorInvalidValue;
  if (mapping_at(at) != mappings_.end()) return cudaErrorInvalidValue;
  if (mmap(pointer_at(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file->file.get(), 0) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  mappings_[at] = {bytes, file, 0};
  return cudaSuccess;
}

cudaError_t MappedMemory::unmap(MemoryMap& memory, Address at, std::uint64_t bytes) {
  const auto parts = whole_mappings(at, bytes);
  if (parts.empty()) return cudaErrorInvalidValue;
  for (const auto& part : parts) mappings_.erase(part);
  name(memory);
  mmap(pointer_at(at), bytes, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
  return cudaSuccess;
}

cudaError_t MappedMemory::set_access(MemoryMap& memory, Address at, std::uint64_t bytes, Access access) {
  const auto parts = whole_mappings(at, bytes);
  if (parts.empty() || mprotect(pointer_at(at), bytes, access) != 0) return cudaErrorInvalidValue;
  for (const auto& part : parts) part->second.access = access;
  name(memory);
  return cudaSuccess;
}

const MappedMemory::Access* MappedMemory::access_of(Address at) const {
  const auto found = mapping_at(at);
  return found == mappings_.end() ? nullptr : &found->second.access;
}

std::shared_ptr<MemoryFile> MappedMemory::file_at(Address at) const {
  const auto found = mapping_at(at);
  return found == mappings_.end() ? nullptr : found->second.file;
}

void MappedMemory::name_again(MemoryMap& memory) {
  named_.clear();
  name(memory);
}

MappedMemory::Mappings::const_iterator MappedMemory::mapping_at(Address at) const {
  const auto after = mappings_.upper_bound(at);
  if (after == mappings_.begin()) return mappings_.end();
  const auto found = std::prev(after);
  return at - found->first < found->second.size ? found : mappings_.end();
}

std::vector<MappedMemory::Mappings::iterator> MappedMemory::whole_mappings(Address at, std::uint64_t bytes) {
  std::vector<Mappings::iterator> parts;
  const Address end = at + bytes;
  for (auto part = mappings_.find(at); at < end; ++part) {
    if (part == mappings_.end() || part->first != at || part->first + part->second.size > end) return {};
    parts.push_back(part);
    at += part->second.size;
  }
  return parts;
}

// Only what has changed is named anew: what uses the rest goes on.
void MappedMemory::name(MemoryMap& memory) {
  std::map<Address, Named> wanted;
  for (const auto& [at, mapping] : mappings_) {
    if (mapping.access == 0) continue;
    const auto last = wanted.empty() ? wanted.end() : std::prev(wanted.end());
    const bool goes_on = last != wanted.end() && last->first + last->second.size == at &&
                         last->second.is_host == mapping.file->is_host && !reservations_.contains(at);
    if (goes_on)
      last->second.size += mapping.size;
    else
      wanted[at] = {mapping.size, mapping.file->is_host};
  }
  for (const auto& [at, named] : named_) {
    const auto same = wanted.find(at);
    if (same == wanted.end() || same->second != named) memory.free(pointer_at(at), {Allocation::Kind::mapped});
  }
  for (const auto& [at, named] : wanted) {
    const auto same = named_.find(at);
    if (same == named_.end() || same->second != named)
      memory.add(
          {.kind = Allocation::Kind::mapped, .address = at, .size = named.size, .mapped_of_host = named.is_host});
  }
  named_ = std::move(wanted);
}

}  // namespace xcuda::runtime
