#include "runtime/fat_binary.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace xcuda::runtime {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // flags: LZ4, Zstandard
constexpr std::uint32_t kNewest = 80;                   // of compute_NN: what the CPU device runs

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
};

// Before the entries; its size includes itself.
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size;  // bytes of entries
};

struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t size;  // bytes after the header
  std::uint32_t compressed_size, unknown;
  std::uint16_t minor, major;
  std::uint32_t architecture;  // 80
  std::uint32_t name_offset, name_size;
  std::uint64_t flags, reserved, uncompressed_size;
};
static_assert(sizeof(Entry) == 64);

template <class T> T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

std::string ptx_of(const void* wrapper) {
  const auto outer = read<Wrapper>(static_cast<const std::byte*>(wrapper));
  const auto* at = static_cast<const std::byte*>(outer.data);
  if (outer.magic != kWrapperMagic || read<Header>(at).magic != kMagic)
    throw Error(ErrorKind::unsupported, "the device code of this program has a form that is not known");
  const auto header = read<Header>(at);
  at += header.header_size;
  const std::byte* const end = at + header.size;
  std::string ptx;
  std::uint32_t best = 0;
  bool compressed = false;
  while (at + sizeof(Entry) <= end) {
    const auto entry = read<Entry>(at);
    if (entry.header_size < sizeof(Entry)) break;
    if (entry.kind == kPtx && entry.architecture <= kNewest && entry.architecture > best) {
      if (entry.flags & kCompressed) {
        compressed = true;
      } else {
        best = entry.architecture;
        const auto* text = reinterpret_cast<const char*>(at + entry.header_size);
        ptx.assign(text, strnlen(text, entry.size));
      }
    }
    at += entry.header_size + entry.size;
  }
  if (!ptx.empty()) return ptx;
  throw Error(ErrorKind::unsupported,
              compressed ? "the PTX of this program is compressed: compile it with --no-compress"
                         : fmt::format("this program has no PTX for compute_{} or older: compile it with "
                                       "-gencode arch=compute_80,code=compute_80",
                                       kNewest));
}

}  // namespace xcuda::runtime
