#include "device/ranks/rank_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xcuda::device::ranks {
namespace {

bool overlap(Address a, Address b, const Transfer& one, const Transfer& other) {
  return a < b + other.bytes && b < a + one.bytes;
}

// Whether the second one has to wait for the first: it reads or writes what that writes, or writes what it reads.
bool conflict(const Transfer& first, const Transfer& second) {
  return overlap(first.to, second.to, first, second) || overlap(first.to, second.from, first, second) ||
         overlap(first.from, second.to, first, second);
}

}  // namespace

RankSet::RankSet(std::shared_ptr<RankJob> job, std::vector<std::unique_ptr<Device>> ranks,
                 std::function<WaitRequest()> limits)
    : DeviceSet(std::move(ranks), std::move(limits)), job_(std::move(job)), led_(devices()) {}

DeviceInfo RankSet::info() {
  auto first = member(0).info();
  granularity_ = first.memory_granularity;
  for (std::uint32_t rank = 1; rank < devices(); ++rank) {
    if (static_cast<RankDevice&>(member(rank)).is_lost()) continue;
    const auto info = member(rank).info();
    granularity_ = std::max(granularity_, info.memory_granularity);
    if (info.architecture != first.architecture)
      throw Error(ErrorKind::unsupported,
                  fmt::format("cannot use {} ranks together: rank 0 has {} ({}), rank {} has {} ({})", devices(),
                              first.name, first.architecture, rank, info.name, info.architecture))
          .advise("Start the ranks on hosts of one kind: %config launcher.");
    if (info.window.base != first.window.base)
      throw Error(ErrorKind::device, fmt::format("cannot use {} ranks together: rank 0 has addresses from {:#x}, rank "
                                                 "{} from {:#x}",
                                                 devices(), first.window.base, rank, info.window.base))
          .advise("%restart starts their processes again.");
  }
  return first;
}

// --- Memory ---------------------------------------------------------------------------------------------------------

File RankSet::create_memory(const MemoryRequest& request) {
  struct Unfinished {
    RankSet& set;
    MemoryId id;
    std::vector<std::uint32_t> on{};
    ~Unfinished() {
      for (const auto rank : on) set.member(rank).destroy_memory(id);
    }
  } made{*this, request.id};
  for (auto& piece : Owners::pieces_of(request, std::max<std::uint64_t>(granularity_, 1))) {
    require(piece.device);
    member(piece.device).create_memory(piece);
    made.on.push_back(piece.device);
  }
  holders_[request.id] = std::exchange(made.on, {});
  owners_.add(request);
  return {};
}

void RankSet::import_memory(const MemoryRequest&, const File&) {
  throw Error(ErrorKind::unsupported, "cannot map the memory of another process on several ranks");
}

void RankSet::destroy_memory(MemoryId id) {
  send_exchanges();
  const auto holders = holders_.extract(id);
  if (!holders) return DeviceSet::destroy_memory(id);
  owners_.remove(id);
  for (const auto rank : holders.mapped()) member(rank).destroy_memory(id);
}

void RankSet::post_name_range(const ArrayRange& range) {
  auto& named = named_[range.address];
  named.clear();
  for (const auto& run : owners_.runs(range.address, range.size)) {
    if (!run.device) continue;
    auto part = range;
    part.address = run.begin;
    part.size = run.bytes;
    if (run.bytes != range.size) part.name = fmt::format("{}.device({})", range.name, *run.device);
    member(*run.device).post_name_range(part);
    named.emplace_back(*run.device, run.begin);
  }
}

void RankSet::post_forget_range(Address address) {
  if (const auto named = named_.extract(address))
    for (const auto& [rank, begin] : named.mapped()) member(rank).post_forget_range(begin);
}

void RankSet::create_texture(const TextureRequest& request) {
  send_exchanges();
  const auto rank = owners_.run_at(request.address, 1).device.value_or(0);
  member(rank).create_texture(request);
  textures_[request.id] = rank;
}

void RankSet::post_destroy_texture(TextureId id) {
  if (const auto texture = textures_.extract(id)) member(texture.mapped()).post_destroy_texture(id);
}

// --- Bytes ----------------------------------------------------------------------------------------------------------

// An address that no rank has as memory of the session is one of the process that the work is for.
RankSet::Place RankSet::place_of(const Owners::Run& run, StreamId stream) const {
  const auto wanted = std::min(device_of(stream), devices() - 1);
  if (!run.device || *run.device == wanted) return {wanted, without_device(stream)};
  return {*run.device, StreamId{0}};
}

Device* RankSet::worker(StreamId stream) {
  send_exchanges();
  return DeviceSet::worker(stream);
}

Device* RankSet::at(const Place& place) { return worker(on_device(place.stream, place.device)); }

void RankSet::post_fill(StreamId stream, const FillRequest& request) {
  const auto size = request.pattern.size();
  if (size == 0) return;
  for (std::uint64_t done = 0; done < request.count;) {
    auto part = request;
    part.address += done * size;
    const auto run = owners_.run_at(part.address, (request.count - done) * size);
    const auto place = place_of(run, stream);
    led_[place.device] = led_[place.device] || place.device != device_of(stream);
    if (run.bytes < size) {  // a pattern that crosses from one rank to the next
      part.count = 1;
      part.pattern.resize(run.bytes);
      if (auto* const device = at(place)) device->post_fill(place.stream, part);
      post_fill(stream, {part.address + run.bytes,
                         1,
                         {request.pattern.begin() + static_cast<std::ptrdiff_t>(run.bytes), request.pattern.end()}});
      ++done;
      continue;
    }
    part.count = run.bytes / size;
    if (auto* const device = at(place)) device->post_fill(place.stream, part);
    done += part.count;
  }
}

void RankSet::copy_part(StreamId stream, Address to, Address from, std::uint64_t bytes) {
  while (bytes > 0) {
    const auto source = owners_.run_at(from, bytes);
    const auto target = owners_.run_at(to, source.bytes);
    const auto there = place_of(target, stream);
    const auto here = place_of(source, on_device(there.stream, there.device));
    if (here.device == there.device) {
      led_[there.device] = led_[there.device] || there.device != device_of(stream);
      if (auto* const device = at(there))
        device->post_copy(there.stream, {.to = to, .from = from, .width = target.bytes});
    } else {
      const Transfer transfer{here.device, there.device, from, to, target.bytes};
      if (std::any_of(transfers_.begin(), transfers_.end(),
                      [&](const Transfer& earlier) { return conflict(earlier, transfer); }))
        send_exchanges();
      transfers_.push_back(transfer);
    }
    to += target.bytes;
    from += target.bytes;
    bytes -= target.bytes;
  }
}

void RankSet::post_copy(StreamId stream, const CopyRequest& request) {
  const auto from = owners_.run_at(request.from, (request.height - 1) * request.from_pitch + request.width);
  const auto to = owners_.run_at(request.to, (request.height - 1) * request.to_pitch + request.width);
  const auto place = place_of(to, stream);
  const bool in_one = from.bytes == (request.height - 1) * request.from_pitch + request.width &&
                      to.bytes == (request.height - 1) * request.to_pitch + request.width &&
                      place_of(from, on_device(place.stream, place.device)).device == place.device;
  if (in_one) {
    led_[place.device] = led_[place.device] || place.device != device_of(stream);
    if (auto* const device = at(place)) device->post_copy(place.stream, request);
    return;
  }
  for (std::uint64_t row = 0; row < request.height; ++row)
    copy_part(stream, request.to + row * request.to_pitch, request.from + row * request.from_pitch, request.width);
}

void RankSet::post_read(StreamId stream, const CopyRequest& request) {
  for (std::uint64_t row = 0; row < request.height; ++row)
    for (std::uint64_t done = 0; done < request.width;) {
      const auto run = owners_.run_at(request.from + row * request.from_pitch + done, request.width - done);
      const auto place = place_of(run, without_device(stream));
      if (auto* const device = at(place))
        device->post_read(place.stream,
                          {.to = request.to + row * request.to_pitch + done, .from = run.begin, .width = run.bytes});
      done += run.bytes;
    }
}

void RankSet::post_write(StreamId stream, const CopyRequest& request) {
  for (std::uint64_t row = 0; row < request.height; ++row)
    for (std::uint64_t done = 0; done < request.width;) {
      const auto run = owners_.run_at(request.to + row * request.to_pitch + done, request.width - done);
      const auto place = place_of(run, without_device(stream));
      led_[place.device] = led_[place.device] || place.device != 0;
      if (auto* const device = at(place))
        device->post_write(
            place.stream,
            {.to = run.begin, .from = request.from + row * request.from_pitch + done, .width = run.bytes});
      done += run.bytes;
    }
}

void RankSet::send_exchanges() {
  const auto transfers = std::exchange(transfers_, {});
  if (transfers.empty()) return;
  for (const auto& transfer : transfers) {
    DeviceSet::worker(on_device({}, transfer.from_rank));
    DeviceSet::worker(on_device({}, transfer.to_rank));
    led_[transfer.from_rank] = led_[transfer.to_rank] = true;
  }
  job_->exchange(transfers);
}

// --- What becomes of it ---------------------------------------------------------------------------------------------

void RankSet::post_order(std::span<const Precedence> order) {
  send_exchanges();
  DeviceSet::post_order(order);
  for (const auto& [device, after] : order)
    if (device < devices() && led_[device]) DeviceSet::post_order(after, device);
}

void RankSet::wait_for(std::uint32_t device, const WaitRequest& request) {
  send_exchanges();
  led_[device] = false;
  DeviceSet::wait_for(device, request);
}

Recovery RankSet::restart() {
  transfers_.clear();
  bool all = true;
  for (std::uint32_t rank = 0; rank < devices(); ++rank)
    all = all && member(rank).lives() && !static_cast<RankDevice&>(member(rank)).is_lost();
  if (!all) {
    job_->restart();
    auto recovery = DeviceSet::restart();
    recovery.arrays_kept = false;
    return recovery;
  }
  Recovery recovery;
  for (std::uint32_t rank = 0; rank < devices(); ++rank) {
    const auto one = job_->restart_device(rank);
    recovery.duration += one.duration;
    recovery.modules_lost.insert(recovery.modules_lost.end(), one.modules_lost.begin(), one.modules_lost.end());
  }
  return recovery;
}

}  // namespace xcuda::device::ranks
