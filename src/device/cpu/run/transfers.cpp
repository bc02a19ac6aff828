#include "device/cpu/run/transfers.hpp"

#include <algorithm>
#include <cstring>

namespace xcuda::device::cpu {

std::optional<std::uint64_t> extent_of(std::uint64_t width, std::uint64_t height, std::uint64_t pitch) {
  if (height == 0 || width == 0) return 0;
  std::uint64_t extent = 0;
  if (__builtin_mul_overflow(height - 1, height > 1 ? pitch : 0, &extent) ||
      __builtin_add_overflow(extent, width, &extent))
    return std::nullopt;
  return extent;
}

void fill_patterns(std::byte* to, const FillRequest& request) {
  const std::vector<std::byte>& pattern = request.pattern;
  const std::uint64_t bytes = request.count * pattern.size();
  if (bytes == 0) return;
  if (std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; })) {
    std::memset(to, static_cast<int>(pattern[0]), bytes);
    return;
  }
  std::memcpy(to, pattern.data(), pattern.size());
  // What is there is doubled until it is worth copying again and again from the cache.
  constexpr std::uint64_t kBlock = 64 << 10;
  for (std::uint64_t done = pattern.size(); done < bytes;) {
    const std::uint64_t whole = done < kBlock ? done : kBlock / pattern.size() * pattern.size();
    const std::uint64_t size = std::min(std::max<std::uint64_t>(whole, pattern.size()), bytes - done);
    std::memcpy(to + done, to, size);
    done += size;
  }
}

void copy_rows(std::byte* to, const std::byte* from, const CopyRequest& request) {
  if (request.height == 1 || (request.to_pitch == request.width && request.from_pitch == request.width)) {
    std::memmove(to, from, request.width * request.height);
    return;
  }
  const bool backwards = to > from;
  for (std::uint64_t i = 0; i < request.height; ++i) {
    const std::uint64_t row = backwards ? request.height - 1 - i : i;
    std::memmove(to + row * request.to_pitch, from + row * request.from_pitch, request.width);
  }
}

}  // namespace xcuda::device::cpu
