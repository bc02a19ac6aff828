// Fills and copies that were posted: their memory is checked before, and reported to --init after. One that reaches
// elsewhere ends the device.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "device/cpu/memory/address_space.hpp"
#include "device/cpu/run/outcomes.hpp"

namespace xcuda::device::cpu {

struct TransferParts {
  AddressSpace& space;
  Outcomes& outcomes;
  std::span<std::byte> staging;
};

class CheckedTransfers {
 public:
  explicit CheckedTransfers(const TransferParts& parts) : parts_(parts) {}

  std::span<std::byte> staging() const { return parts_.staging; }

  void fill(const FillRequest& request);
  void copy(const CopyRequest& request);
  void read(const CopyRequest& request);   // into the staging buffer
  void write(const CopyRequest& request);  // from it

 private:
  bool reaches(std::string_view what, Address address, std::optional<std::uint64_t> bytes);
  bool fits_staging(std::uint64_t offset, std::optional<std::uint64_t> bytes);
  void note_written(const CopyRequest& request);

  TransferParts parts_;
};

}  // namespace xcuda::device::cpu
