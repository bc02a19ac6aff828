// Which bytes a launch reads and which it writes, each once: exact traffic for its bandwidth. The kernel runs with the
// code of --race, which tells of each access; accesses of shared and local memory do not count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/memory/address_space.hpp"

namespace xcuda::device::cpu {

class AccessCounter {
 public:
  // most: bytes that it may take; it takes a quarter of the arrays that the launch touches.
  AccessCounter(const KernelCode& code, AddressSpace& space, std::uint64_t most);
  AccessCounter(const AccessCounter&) = delete;
  AccessCounter& operator=(const AccessCounter&) = delete;
  ~AccessCounter() = default;

  // Like AccessRecorder's: all accesses are reported, and generated code marks nothing by itself.
  const std::uint8_t* watched() const { return watched_.data(); }
  const MarkedArray* marked() const { return marked_.data(); }
  AccessView* view() { return &view_; }

  void access(const BlockFrame& frame, const LaneCall& call, const CheckedAccesses& accesses);
  void copy(const BlockFrame& frame, const LaneCall& call);  // cp.async
  struct Touch {
    Address address = 0;
    std::uint64_t bytes = 0;
    Access kind = Access::read;
  };
  void touch(const BlockFrame& frame, std::uint32_t site, const Touch& touch);

  bool complete() const { return complete_; }  // whether all of it was counted
  std::uint64_t bytes() const;                 // read, and written

 private:
  using Bits = std::vector<std::uint64_t>;  // one for each byte
  struct Place {
    Address begin = 0;
    std::uint64_t size = 0;
    Bits *read = nullptr, *written = nullptr;  // null: not counted
  };
  struct Counted {
    std::uint64_t size = 0;
    Bits read, written;
  };
  const Place& place_at(const BlockFrame& frame, std::uint32_t site, Address address);
  Place place_of(const BlockFrame& frame, Address address);

  const KernelCode& code_;
  AddressSpace& space_;
  std::uint64_t left_;  // bytes
  bool complete_ = true;
  std::vector<std::uint8_t> watched_;
  std::vector<MarkedArray> marked_;
  AccessView view_;
  std::map<Address, Counted> arrays_;
  std::array<Place, 16> last_{};  // by site: where it went last
};

}  // namespace xcuda::device::cpu
