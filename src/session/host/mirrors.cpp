#include "session/host/mirrors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/host_memory.hpp"
#include "base/passing.hpp"
#include "base/shared_memory.hpp"
#include "base/units.hpp"

namespace xcuda::session {
namespace {

using device::kMirrorPiece;
using device::Touch;

constexpr std::uint64_t kHostReserve = std::uint64_t{512} << 20;  // bytes that are left to the rest of the machine
constexpr std::uint64_t kLooks = 16;                              // pieces between two looks at what is left
constexpr std::uint64_t kKeptPieces = 64;                         // 128 MiB of the host's memory, from cell to cell

// All of the bytes, from or to a place of a file.
template <class Bytes, class Move> void move_all(Bytes bytes, std::uint64_t offset, const char* what, Move move) {
  while (!bytes.empty()) {
    const auto moved = move(bytes, static_cast<off_t>(offset));
    if (moved < 0 && passes(errno)) continue;
    if (moved <= 0)
      throw Error(ErrorKind::memory, fmt::format("cannot {} a mirror of an array", what)).said(errno_text(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<std::uint64_t>(moved);
  }
}

}  // namespace

void Mirrors::follow(device::Device& process, const std::vector<device::Memory::Piece>& slabs) {
  for (auto mirror = mirrors_.begin(); mirror != mirrors_.end();) {
    const auto same = std::any_of(slabs.begin(), slabs.end(), [&](const auto& slab) {
      return slab.address == mirror->first && slab.id == mirror->second.slab;
    });
    if (same) {
      ++mirror;
      continue;
    }
    const auto id = mirror->second.id;
    mirror = mirrors_.erase(mirror);
    process.destroy_memory(id);
  }
  for (const auto& slab : slabs) {
    if (mirrors_.contains(slab.address)) continue;
    Mirror mirror{device::MemoryId{next_id_++},
                  slab.id,
                  slab.size,
                  make_memory_file("xcuda-mirror", slab.size, Reserve::as_used),
                  {}};
    process.mirror_memory({mirror.id, slab.address, slab.size}, mirror.file);
    mirrors_.emplace(slab.address, std::move(mirror));
  }
}

void Mirrors::guard(device::Device& process, Device device) {
  std::vector<device::GuardedRange> ranges;
  for (auto& [begin, mirror] : mirrors_)
    for (auto& [offset, piece] : mirror.pieces) {
      // What could not be brought back is lost: the device has gone on.
      if (device == Device::changed || piece.changed) piece.current = piece.changed = false;
      const auto allowed = piece.current ? std::min(piece.granted, Touch::read) : Touch::refused;
      if (allowed == piece.granted) continue;
      piece.granted = allowed;
      if (!ranges.empty() && ranges.back().touch == allowed &&
          ranges.back().address + ranges.back().size == begin + offset)
        ranges.back().size += kMirrorPiece;
      else
        ranges.push_back({begin + offset, kMirrorPiece, allowed});
    }
  if (!ranges.empty()) process.post_guard(ranges);
}

device::Touch Mirrors::fetch(device::Address address, device::Access access) {
  const auto after = mirrors_.upper_bound(address);
  if (after == mirrors_.begin()) return Touch::refused;
  auto& [begin, mirror] = *std::prev(after);
  const auto offset = address - begin;
  if (offset >= mirror.size) return Touch::refused;
  auto& piece = mirror.pieces[offset];
  // If the processor does not describe the access, it is a write where reading is granted already.
  const bool writes =
      access == device::Access::write || (access == device::Access::unknown && piece.granted == Touch::read);
  if (!piece.current) {
    if (counts_.fetched % kLooks == 0) look_at_host_memory();
    fill(mirror, begin, offset);
    piece.current = true;
    ++counts_.fetched;
  }
  piece.changed = piece.changed || writes;
  piece.granted = piece.changed ? Touch::write : Touch::read;
  return piece.granted;
}

// The kernel ends processes when memory is gone.
void Mirrors::look_at_host_memory() {
  const auto memory = host_memory();
  if (memory.available >= kHostReserve) return;
  throw Error(ErrorKind::memory, "host code reads more of the arrays than the host has memory for")
      .said(fmt::format("{} of this machine's {} are available", format_bytes(memory.available),
                        format_bytes(memory.total)))
      .advise("Write it as a kernel, or let it work on a part of the arrays at a time.");
}

void Mirrors::fill(const Mirror& mirror, device::Address begin, std::uint64_t offset) {
  auto at = offset;
  contents_.read({begin + offset, kMirrorPiece}, [&](std::span<const std::byte> bytes) {
    move_all(bytes, at, "fill",
             [&](auto rest, off_t place) { return pwrite(mirror.file.get(), rest.data(), rest.size(), place); });
    at += bytes.size();
  });
}

void Mirrors::drain(const Mirror& mirror, device::Address begin, std::uint64_t offset, std::uint64_t bytes) {
  auto at = offset;
  contents_.write({begin + offset, bytes}, [&](std::span<std::byte> part) {
    move_all(part, at, "read",
             [&](auto rest, off_t place) { return pread(mirror.file.get(), rest.data(), rest.size(), place); });
    at += part.size();
  });
}

void Mirrors::bring_back() {
  for (auto& [begin, mirror] : mirrors_)
    for (auto piece = mirror.pieces.begin(); piece != mirror.pieces.end();) {
      auto end = piece;  // after a run of changed pieces
      while (end != mirror.pieces.end() && end->second.changed &&
             end->first == piece->first + static_cast<std::uint64_t>(std::distance(piece, end)) * kMirrorPiece)
        ++end;
      const auto count = static_cast<std::uint64_t>(std::distance(piece, end));
      if (count == 0) {
        ++piece;
        continue;
      }
      drain(mirror, begin, piece->first, count * kMirrorPiece);
      counts_.brought_back += count;
      for (; piece != end; ++piece) piece->second.changed = false;
    }
}

void Mirrors::process_replaced() {
  for (auto& [begin, mirror] : mirrors_)
    for (auto& [offset, piece] : mirror.pieces) piece.granted = Touch::refused;
}

void Mirrors::clear() { mirrors_.clear(); }

// Filling a piece whose memory is new takes twice as long, so that some is kept.
void Mirrors::give_back() {
  std::uint64_t kept = 0;
  for (auto& [begin, mirror] : mirrors_)
    for (auto entry = mirror.pieces.begin(); entry != mirror.pieces.end();) {
      const auto& [offset, piece] = *entry;
      entry->second.current = false;
      if (++kept <= kKeptPieces) {
        ++entry;
        continue;
      }
      fallocate(mirror.file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                kMirrorPiece);
      // What the process may still touch is guarded before it runs again.
      entry = piece.granted == Touch::refused ? mirror.pieces.erase(entry) : std::next(entry);
    }
}

}  // namespace xcuda::session
