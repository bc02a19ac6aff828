#include "runtime/fat_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/ptx_link.hpp"

namespace xcuda::runtime {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // flags: LZ4, Zstandard
constexpr std::uint32_t kNewest = 80;                   // of compute_NN: what the CPU device runs

constexpr std::uint32_t kLinked = 2;  // a wrapper's version: of several sources

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* sources;  // of kLinked: their fat binaries, and a null pointer
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

Error unknown_form() { return Error(ErrorKind::unsupported, "the device code of this program has an unknown form"); }

enum class Compressed : std::uint8_t { no, yes };
Error no_ptx(Compressed compressed) {
  return Error(ErrorKind::unsupported,
               compressed == Compressed::yes
                   ? "the PTX of this program is compressed: compile it with --no-compress"
                   : fmt::format("this program has no PTX for compute_{} or older: compile it with "
                                 "-gencode arch=compute_80,code=compute_80",
                                 kNewest));
}

std::uint64_t left(const std::byte* at, const std::byte* end) { return static_cast<std::uint64_t>(end - at); }

// The PTX of one source; empty when it has none that can be read.
struct Found {
  std::string ptx;
  bool compressed = false;
};
Found text_in(const void* binary) {
  const auto* at = static_cast<const std::byte*>(binary);
  if (read<Header>(at).magic != kMagic) throw unknown_form();
  const auto header = read<Header>(at);
  at += header.header_size;
  const std::byte* const end = at + header.size;
  Found found;
  std::uint32_t best = 0;
  while (at + sizeof(Entry) <= end) {
    const auto entry = read<Entry>(at);
    if (entry.header_size < sizeof(Entry) || entry.header_size > left(at, end)) break;
    if (entry.size > left(at, end) - entry.header_size) break;
    if (entry.kind == kPtx && entry.architecture <= kNewest && entry.architecture > best) {
      if (entry.flags & kCompressed) {
        found.compressed = true;
      } else {
        best = entry.architecture;
        const auto* text = reinterpret_cast<const char*>(at + entry.header_size);
        found.ptx.assign(text, strnlen(text, entry.size));
      }
    }
    at += entry.header_size + entry.size;
  }
  return found;
}

}  // namespace

std::string ptx_of(const void* wrapper) {
  const auto outer = read<Wrapper>(static_cast<const std::byte*>(wrapper));
  if (outer.magic != kWrapperMagic) throw unknown_form();
  std::vector<std::string> texts;
  bool compressed = false;
  const auto add = [&](const void* binary) {
    auto found = text_in(binary);
    compressed = compressed || found.compressed;
    if (!found.ptx.empty()) texts.push_back(std::move(found.ptx));
  };
  if (outer.version == kLinked) {
    // The device runtime among them, which nvcc always links, is machine code.
    for (const auto* source = outer.sources; *source != nullptr; ++source) add(*source);
  } else {
    add(outer.data);
  }
  if (!texts.empty()) return linked_ptx(texts);
  throw no_ptx(compressed ? Compressed::yes : Compressed::no);
}

void add_embedded_ptx(std::string_view section, EmbeddedPtx& to) {
  while (section.size() >= sizeof(Header)) {
    const auto* at = reinterpret_cast<const std::byte*>(section.data());
    const auto header = read<Header>(at);
    if (header.magic != kMagic || header.header_size > section.size() ||
        header.size > section.size() - header.header_size)
      throw unknown_form();
    auto found = text_in(at);
    ++to.sources;
    to.is_compressed = to.is_compressed || found.compressed;
    if (!found.ptx.empty()) to.texts.push_back(std::move(found.ptx));
    const auto bytes = (header.header_size + header.size + 7) / 8 * 8;
    section.remove_prefix(std::min<std::size_t>(bytes, section.size()));
  }
}

Error no_embedded_ptx(const EmbeddedPtx& of) {
  if (of.sources > 0) return no_ptx(of.is_compressed ? Compressed::yes : Compressed::no);
  return Error(ErrorKind::unsupported,
               "this object or library has no device code that can be linked: compile it with nvcc -rdc=true");
}

std::string ptx_of_module(const void* code) {
  const auto* bytes = static_cast<const std::byte*>(code);
  constexpr std::uint32_t kElf = 0x464c457f;
  std::uint32_t magic = 0;  // an empty text has fewer bytes
  std::memcpy(&magic, bytes, strnlen(static_cast<const char*>(code), sizeof magic));
  if (magic == kElf)
    throw Error(ErrorKind::unsupported,
                "this module is machine code of a GPU (a CUBIN), which the CPU device cannot run: load its PTX (nvcc "
                "-ptx, nvrtcGetPTX)");
  if (magic == kWrapperMagic) return ptx_of(code);
  if (magic == kMagic) {
    auto found = text_in(code);
    if (found.ptx.empty()) throw no_ptx(found.compressed ? Compressed::yes : Compressed::no);
    return std::move(found.ptx);
  }
  return static_cast<const char*>(code);
}

}  // namespace xcuda::runtime
