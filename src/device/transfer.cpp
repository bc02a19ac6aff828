#include "device/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace xcuda::device {

Transfer::Transfer(Device& device, TransferParts parts) : device_(device), parts_(std::move(parts)) {}

std::uint64_t Transfer::half() const {
  const auto bytes = device_.staging().size() / 2;
  if (bytes < 4096)
    throw Error(ErrorKind::internal,
                fmt::format("a staging buffer of {} bytes is too small", device_.staging().size()));
  return bytes / 4096 * 4096;
}

void Transfer::wait() {
  if (parts_.wait) return parts_.wait();
  const auto completion = device_.synchronize({});
  if (completion.fault)
    throw Error(ErrorKind::device, fmt::format("the device faulted: {}", fault_name(completion.fault->kind)))
        .said(completion.fault->library);
  if (!completion.refused.empty())
    throw Error(ErrorKind::device, "the device refused a request").said(completion.refused.front().library);
}

// Whole rows as many as fit; a row that does not fit goes in parts.
Transfer::Piece Transfer::piece_at(const Region& region, std::uint64_t done) const {
  Piece piece;
  piece.row = done / region.width;
  piece.column = done % region.width;
  const auto room = half();
  if (piece.column != 0 || region.width > room) {
    piece.width = std::min(region.width - piece.column, room);
  } else {
    piece.width = region.width;
    piece.height = std::min(region.height - piece.row, room / region.width);
  }
  return piece;
}

void Transfer::read(const Region& from, const std::function<void(std::span<const std::byte>)>& take) {
  const auto total = from.bytes();
  const auto staging = device_.staging();
  std::uint64_t posted = 0, done = 0, slot = 0;
  std::optional<Piece> under_way;
  while (done < total) {
    std::optional<Piece> arrived;
    if (under_way) {
      wait();
      arrived = std::exchange(under_way, std::nullopt);
      if (parts_.interrupt != nullptr) parts_.interrupt->check();
    }
    if (posted < total) {
      const auto piece = piece_at(from, posted);
      device_.post_read(StreamId{0}, {.to = slot * half(),
                                      .from = from.address + piece.row * from.pitch + piece.column,
                                      .width = piece.width,
                                      .height = piece.height,
                                      .to_pitch = piece.width,
                                      .from_pitch = from.pitch});
      posted += piece.bytes();
      under_way = piece;
      slot ^= 1;
    }
    if (!arrived) continue;
    // The piece that arrived lies in the slot that was not just posted, or, at the end, in the last one posted.
    const auto place = under_way ? slot : slot ^ 1;
    take(staging.subspan(place * half(), arrived->bytes()));
    done += arrived->bytes();
    if (parts_.progress) parts_.progress(done, total);
  }
}

void Transfer::write(const Region& to, const std::function<void(std::span<std::byte>)>& give) {
  const auto total = to.bytes();
  const auto staging = device_.staging();
  std::uint64_t posted = 0, slot = 0;
  bool under_way = false;
  while (posted < total) {
    const auto piece = piece_at(to, posted);
    give(staging.subspan(slot * half(), piece.bytes()));
    // The half before this one may still be on its way while this one is filled, but not longer.
    if (under_way) wait();
    if (parts_.interrupt != nullptr) parts_.interrupt->check();
    device_.post_write(StreamId{0}, {.to = to.address + piece.row * to.pitch + piece.column,
                                     .from = slot * half(),
                                     .width = piece.width,
                                     .height = piece.height,
                                     .to_pitch = to.pitch,
                                     .from_pitch = piece.width});
    under_way = true;
    posted += piece.bytes();
    slot ^= 1;
    if (parts_.progress) parts_.progress(posted, total);
  }
  if (under_way) wait();
}

void Transfer::read(const Region& from, std::span<std::byte> to) {
  if (to.size() != from.bytes())
    throw Error(ErrorKind::internal, fmt::format("{} bytes do not fit into {}", from.bytes(), to.size()));
  auto* next = to.data();
  read(from, [&](std::span<const std::byte> piece) {
    std::memcpy(next, piece.data(), piece.size());
    next += piece.size();
  });
}

void Transfer::write(const Region& to, std::span<const std::byte> from) {
  if (from.size() != to.bytes())
    throw Error(ErrorKind::internal, fmt::format("{} bytes do not fill {}", from.size(), to.bytes()));
  const auto* next = from.data();
  write(to, [&](std::span<std::byte> piece) {
    std::memcpy(piece.data(), next, piece.size());
    next += piece.size();
  });
}

}  // namespace xcuda::device
