#include "device/remote/visible_memory.hpp"

#include <iterator>

namespace xcuda::device::remote {

void VisibleMemory::add(const MemoryRequest& request, const File& descriptor) {
  if (descriptor && request.size <= kLargest) pieces_[request.address] = {request.size, &descriptor, {}};
}

void VisibleMemory::remove(Address address) { pieces_.erase(address); }

std::span<const std::byte> VisibleMemory::part(Address from, std::uint64_t bytes) {
  const auto after = pieces_.upper_bound(from);
  if (after == pieces_.begin()) return {};
  auto& [begin, piece] = *std::prev(after);
  const auto offset = from - begin;
  if (offset >= piece.size || bytes > piece.size - offset) return {};
  if (!piece.mapping) piece.mapping = SharedMapping::where_possible(*piece.descriptor, piece.size);
  if (!piece.mapping) return {};
  return std::span<const std::byte>(piece.mapping.bytes()).subspan(offset, bytes);
}

}  // namespace xcuda::device::remote
