// Where pieces of memory of several devices meet in one range of addresses. A driver's copy or fill stays within one
// piece, so a request that crosses a seam is cut there.
#pragma once

#include <functional>
#include <map>

#include "device/memory_requests.hpp"

namespace xcuda::device {

class Seams {
 public:
  void add(const MemoryRequest& request);
  void remove(MemoryId id);

  // Which addresses of a copy are memory; the other side is an offset in the staging buffer.
  enum class Sides : std::uint8_t { both, from, to };
  void fills(const FillRequest& request, const std::function<void(const FillRequest&)>& post) const;
  void copies(const CopyRequest& request, Sides sides, const std::function<void(const CopyRequest&)>& post) const;

 private:
  std::uint64_t until_seam(Address from, std::uint64_t bytes) const;  // bytes of them before the next one, or all
  void count_seams();

  std::map<Address, MemoryRequest> pieces_;  // by where they begin
  std::map<MemoryId, Address> by_id_;
  bool any_ = false;  // as long as there are none, nothing is looked up
};

}  // namespace xcuda::device
