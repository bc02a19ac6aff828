// The memory of a device that lies in files, as another process sees it: a piece is mapped when it is first looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "base/shared_memory.hpp"
#include "device/device.hpp"

namespace xcuda::device::remote {

class VisibleMemory {
 public:
  // Larger pieces are not mapped: address space may be limited.
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;  // bytes

  void add(const MemoryRequest& request, const File& descriptor);  // the descriptor lives until remove()
  void remove(Address address);
  void clear() { pieces_.clear(); }
  // The bytes of a range; empty if it is not inside one piece, or cannot be mapped.
  std::span<const std::byte> part(Address from, std::uint64_t bytes);

 private:
  struct Piece {
    std::uint64_t size;
    const File* descriptor;
    SharedMapping mapping;
  };
  std::map<Address, Piece> pieces_;  // by where they begin
};

}  // namespace xcuda::device::remote
