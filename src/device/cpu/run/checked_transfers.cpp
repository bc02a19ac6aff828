#include "device/cpu/run/checked_transfers.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "device/cpu/run/transfers.hpp"

namespace xcuda::device::cpu {

namespace {

std::byte* host(Address address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

void CheckedTransfers::fill(const FillRequest& request) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(request.count, request.pattern.size(), &bytes) || !reaches("fill", request.address, bytes))
    return;
  fill_patterns(host(request.address), request);
  parts_.space.written.write(request.address, bytes);
}

void CheckedTransfers::copy(const CopyRequest& request) {
  if (!reaches("copy to", request.to, extent_of(request.width, request.height, request.to_pitch)) ||
      !reaches("copy from", request.from, extent_of(request.width, request.height, request.from_pitch)))
    return;
  copy_rows(host(request.to), host(request.from), request);
  note_written(request);
}

void CheckedTransfers::read(const CopyRequest& request) {
  if (reaches("read", request.from, extent_of(request.width, request.height, request.from_pitch)) &&
      fits_staging(request.to, extent_of(request.width, request.height, request.to_pitch)))
    copy_rows(parts_.staging.data() + request.to, host(request.from), request);
}

void CheckedTransfers::write(const CopyRequest& request) {
  if (!reaches("write", request.to, extent_of(request.width, request.height, request.to_pitch)) ||
      !fits_staging(request.from, extent_of(request.width, request.height, request.from_pitch)))
    return;
  copy_rows(host(request.to), parts_.staging.data() + request.from, request);
  note_written(request);
}

bool CheckedTransfers::reaches(std::string_view what, Address address, std::optional<std::uint64_t> bytes) {
  if (bytes && (*bytes == 0 || parts_.space.contains(address, *bytes))) return true;
  Fault fault;
  fault.kind = FaultKind::illegal_address;
  fault.address = address;
  fault.message = fmt::format("{} {} at {:#x}, which is not entirely memory of this session", what,
                              bytes ? format_bytes(*bytes) : "too much", address);
  parts_.outcomes.end(std::move(fault));
  return false;
}

bool CheckedTransfers::fits_staging(std::uint64_t offset, std::optional<std::uint64_t> bytes) {
  const std::span<std::byte> staging = parts_.staging;
  if (bytes && *bytes <= staging.size() && offset <= staging.size() - *bytes) return true;
  Fault fault;
  fault.message =
      fmt::format("a transfer at {} of the staging buffer, which has {}", offset, format_bytes(staging.size()));
  parts_.outcomes.end(std::move(fault));
  return false;
}

void CheckedTransfers::note_written(const CopyRequest& request) {
  WrittenBytes& written = parts_.space.written;
  if (written.empty()) return;
  for (std::uint64_t row = 0; row < request.height; ++row)
    written.write(request.to + row * request.to_pitch, request.width);
}

}  // namespace xcuda::device::cpu
