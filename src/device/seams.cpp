#include "device/seams.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::device {

void Seams::add(const MemoryRequest& request) {
  pieces_[request.address] = request;
  by_id_[request.id] = request.address;
  count_seams();
}

void Seams::remove(MemoryId id) {
  const auto known = by_id_.extract(id);
  if (!known) return;
  pieces_.erase(known.mapped());
  count_seams();
}

void Seams::count_seams() {
  any_ = false;
  Address end = 0;
  for (const auto& [address, piece] : pieces_) {
    any_ = any_ || address == end;
    end = address + piece.size;
  }
}

std::uint64_t Seams::until_seam(Address from, std::uint64_t bytes) const {
  const auto next = pieces_.upper_bound(from);
  return next == pieces_.end() ? bytes : std::min(bytes, next->first - from);
}

void Seams::fills(const FillRequest& request, const std::function<void(const FillRequest&)>& post) const {
  const auto size = request.pattern.size();
  if (!any_ || size == 0) return post(request);
  for (std::uint64_t done = 0; done < request.count;) {
    auto part = request;
    part.address += done * size;
    const auto room = until_seam(part.address, (request.count - done) * size);
    if (room < size) {  // this pattern crosses the seam
      part.count = 1;
      part.pattern.resize(room);
      post(part);
      part.address += room;
      part.pattern.assign(request.pattern.begin() + static_cast<std::ptrdiff_t>(room), request.pattern.end());
      post(part);
      ++done;
      continue;
    }
    part.count = room / size;
    post(part);
    done += part.count;
  }
}

void Seams::copies(const CopyRequest& request, Sides sides, const std::function<void(const CopyRequest&)>& post) const {
  if (!any_) return post(request);
  const auto whole = [&](Address at, std::uint64_t pitch) {
    const auto bytes = (request.height - 1) * pitch + request.width;
    return until_seam(at, bytes) == bytes;
  };
  const bool cut_from = sides != Sides::to, cut_to = sides != Sides::from;
  if (request.height == 0 ||
      ((!cut_from || whole(request.from, request.from_pitch)) && (!cut_to || whole(request.to, request.to_pitch))))
    return post(request);
  for (std::uint64_t row = 0; row < request.height; ++row)
    for (std::uint64_t done = 0; done < request.width;) {
      CopyRequest part{.to = request.to + row * request.to_pitch + done,
                       .from = request.from + row * request.from_pitch + done,
                       .width = request.width - done};
      if (cut_from) part.width = until_seam(part.from, part.width);
      if (cut_to) part.width = until_seam(part.to, part.width);
      post(part);
      done += part.width;
    }
}

}  // namespace xcuda::device
