#include "device/ranks/owners.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::device::ranks {
namespace {

// Of memory that is not shared out, the whole.
std::vector<MemoryRequest> exact_parts(const MemoryRequest& request) {
  if (request.parts.empty()) return {request};
  std::vector<MemoryRequest> parts;
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    const auto& [device, bytes] = request.parts[i];
    const auto until = i + 1 == request.parts.size() ? request.size : std::min(request.size, done + bytes);
    if (until > done) parts.push_back({request.id, request.address + done, until - done, device, {}});
    done = until;
  }
  return parts;
}

}  // namespace

std::vector<MemoryRequest> Owners::pieces_of(const MemoryRequest& request, std::uint64_t granularity) {
  auto pieces = exact_parts(request);
  for (auto& piece : pieces) {
    const auto begin = piece.address / granularity * granularity;
    const auto end = (piece.address + piece.size + granularity - 1) / granularity * granularity;
    piece.address = begin;
    piece.size = end - begin;
  }
  return pieces;
}

void Owners::add(const MemoryRequest& request) {
  for (const auto& part : exact_parts(request)) {
    parts_[part.address] = {part.address + part.size, part.device};
    by_id_[request.id].push_back(part.address);
  }
}

void Owners::remove(MemoryId id) {
  if (const auto known = by_id_.extract(id))
    for (const auto address : known.mapped()) parts_.erase(address);
}

Owners::Run Owners::run_at(Address from, std::uint64_t bytes) const {
  const auto next = parts_.upper_bound(from);
  if (next != parts_.begin())
    if (const auto& [begin, part] = *std::prev(next); from < part.end)
      return {from, std::min(bytes, part.end - from), part.device};
  return {from, next == parts_.end() ? bytes : std::min(bytes, next->first - from), {}};
}

std::vector<Owners::Run> Owners::runs(Address from, std::uint64_t bytes) const {
  std::vector<Run> all;
  while (bytes > 0) {
    all.push_back(run_at(from, bytes));
    from += all.back().bytes;
    bytes -= all.back().bytes;
  }
  return all;
}

}  // namespace xcuda::device::ranks
