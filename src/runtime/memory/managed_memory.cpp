// Managed memory is where it is used from: advice and prefetches move nothing, and are kept for those who ask.
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"

namespace xcuda::runtime {
namespace {

using device::Address;
using Kind = Allocation::Kind;

Address page_size() {
  static const auto size = static_cast<Address>(sysconf(_SC_PAGESIZE));
  return size;
}

struct Pages {
  Address begin, end;
};
// Those that the range touches. Allocations may share a page, but not what was said about them.
Pages pages_of(State& state, const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<Address>(pointer);
  const auto all = *state.memory.find(pointer);
  return {std::max(all.address, begin / page_size() * page_size()),
          std::min(all.address + all.size, (begin + bytes + page_size() - 1) / page_size() * page_size())};
}

bool is_managed(State& state, const void* pointer, std::size_t bytes) {
  const auto found = state.memory.find(pointer);
  return found && found->kind == Kind::managed && bytes > 0 && state.memory.fits(pointer, bytes);
}

// Changes `where` into what is kept of it: the host has CUDA's number for it, and a node of
// its memory always one of its own.
cudaError_t check_location(cudaMemLocation& where) {
  switch (where.type) {
    case cudaMemLocationTypeDevice: return where.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost: where.id = cudaCpuDeviceId; return cudaSuccess;
    case cudaMemLocationTypeHostNumaCurrent: {
      unsigned node = 0;
      getcpu(nullptr, &node);
      where = {cudaMemLocationTypeHostNuma, {static_cast<int>(node)}};
      return cudaSuccess;
    }
    case cudaMemLocationTypeHostNuma: {
      const auto folder = "/sys/devices/system/node/node" + std::to_string(where.id);
      return where.id == 0 || access(folder.c_str(), F_OK) == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    }
    default: return cudaErrorInvalidValue;
  }
}

cudaError_t advise(State& state, const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                   cudaMemLocation where) {
  if (!is_managed(state, pointer, bytes)) return cudaErrorInvalidValue;
  const bool of_one_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                            advice == cudaMemAdviseUnsetAccessedBy;
  if (of_one_place)
    if (check_location(where) != cudaSuccess) return cudaErrorInvalidValue;  // a prefetch says which it is
  bool Advice::*accessed_by = where.type == cudaMemLocationTypeDevice ? &Advice::accessed_by_device : nullptr;
  if (where.type == cudaMemLocationTypeHost) accessed_by = &Advice::accessed_by_host;
  std::function<void(Advice&)> change;
  switch (advice) {
    case cudaMemAdviseSetReadMostly: change = [](Advice& kept) { kept.read_mostly = true; }; break;
    case cudaMemAdviseUnsetReadMostly: change = [](Advice& kept) { kept.read_mostly = false; }; break;
    case cudaMemAdviseSetPreferredLocation: change = [where](Advice& kept) { kept.preferred = where; }; break;
    case cudaMemAdviseUnsetPreferredLocation: change = [](Advice& kept) { kept.preferred = Advice{}.preferred; }; break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
      if (accessed_by == nullptr) return cudaErrorInvalidValue;
      change = [=](Advice& kept) { kept.*accessed_by = advice == cudaMemAdviseSetAccessedBy; };
      break;
    default: return cudaErrorInvalidValue;
  }
  const auto pages = pages_of(state, pointer, bytes);
  const std::lock_guard lock(state.mutex);
  state.advice.change(pages.begin, pages.end, change);
  return cudaSuccess;
}

// --- Prefetches and discards, alone and in batches -------------------------------------------------------------------

struct Range {
  const void* pointer;
  std::size_t bytes;
  cudaMemLocation where{};
};

void note_prefetch(State& state, const Range& range) {
  const auto pages = pages_of(state, range.pointer, range.bytes);
  const std::lock_guard lock(state.mutex);
  state.advice.change(pages.begin, pages.end, [&](Advice& kept) { kept.prefetched = range.where; });
}

// Whole pages go back to the host, unless a session has them. What they held is as undefined as on a GPU.
void discard(const Range& range) {
  if (lent_device() != nullptr) return;
  const auto begin = reinterpret_cast<Address>(range.pointer);
  const Address first = (begin + page_size() - 1) / page_size() * page_size();
  const Address end = (begin + range.bytes) / page_size() * page_size();
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_REMOVE);
}

// The errors that prefetches and discards have in common. No node of a graph does their work.
cudaError_t check_ranges(State& state, const std::vector<Range>& ranges, cudaStream_t stream) {
  for (const auto& range : ranges)
    if (!is_managed(state, range.pointer, range.bytes)) return cudaErrorInvalidValue;
  Stream* on = state.find_stream(stream);
  return on == nullptr ? cudaErrorInvalidResourceHandle : check_uncaptured_use(state, *on);
}

struct RangeBatch {
  void** pointers;
  std::size_t *sizes, count;
  cudaMemLocation* places = nullptr;  // null: a batch without places
  std::size_t *starts = nullptr, place_count = 0;
};
enum class Places : std::uint8_t { none, needed };

cudaError_t read_batch(const RangeBatch& batch, Places places, std::vector<Range>& ranges) {
  if (batch.pointers == nullptr || batch.sizes == nullptr || batch.count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < batch.count; ++i) ranges.push_back({batch.pointers[i], batch.sizes[i]});
  if (places == Places::none) return cudaSuccess;
  const auto& [pointers, sizes, count, where, starts, place_count] = batch;
  if (where == nullptr || starts == nullptr || place_count == 0 || place_count > count || starts[0] != 0)
    return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < place_count; ++i) {
    const std::size_t end = i + 1 < place_count ? starts[i + 1] : count;
    if (end <= starts[i] || end > count) return cudaErrorInvalidValue;
    cudaMemLocation place = where[i];
    if (const auto error = check_location(place); error != cudaSuccess) return error;
    for (std::size_t range = starts[i]; range < end; ++range) ranges[range].where = place;
  }
  return cudaSuccess;
}

enum class Discards : std::uint8_t { no, yes };
cudaError_t run_batch(const RangeBatch& batch, Places places, Discards discards, unsigned long long flags,
                      cudaStream_t stream) {
  return with_state([&](State& state) {
    std::vector<Range> ranges;
    if (flags != 0 || state.find_stream(stream) == &state.default_stream) return cudaErrorInvalidValue;
    auto error = read_batch(batch, places, ranges);
    if (error == cudaSuccess) error = check_ranges(state, ranges, stream);
    if (error != cudaSuccess) return error;
    if (discards == Discards::yes)
      post(state, *state.find_stream(stream),
           {.work = [ranges] { std::for_each(ranges.begin(), ranges.end(), discard); }, .needs = Item::Needs::host});
    if (places == Places::needed)
      for (const auto& range : ranges) note_prefetch(state, range);
    return cudaSuccess;
  });
}

// --- What is known of a range ----------------------------------------------------------------------------------------

// The place that all parts have in common; of the type `invalid` where they have none.
cudaMemLocation common(const std::vector<Advice>& parts, cudaMemLocation Advice::*place) {
  const auto& first = parts.front().*place;
  const bool same = std::all_of(parts.begin(), parts.end(), [&](const Advice& part) {
    return (part.*place).type == first.type && (part.*place).id == first.id;
  });
  return same ? first : Advice{}.*place;
}

int old_number_of(const cudaMemLocation& where) {
  if (where.type == cudaMemLocationTypeDevice) return where.id;
  return where.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : cudaInvalidDeviceId;
}

std::optional<int> single_value(const std::vector<Advice>& parts, cudaMemRangeAttribute attribute) {
  const auto preferred = common(parts, &Advice::preferred), prefetched = common(parts, &Advice::prefetched);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return std::all_of(parts.begin(), parts.end(), [](const Advice& part) { return part.read_mostly; }) ? 1 : 0;
    case cudaMemRangeAttributePreferredLocation: return old_number_of(preferred);
    case cudaMemRangeAttributePreferredLocationType: return preferred.type;
    case cudaMemRangeAttributePreferredLocationId: return preferred.id;
    case cudaMemRangeAttributeLastPrefetchLocation: return old_number_of(prefetched);
    case cudaMemRangeAttributeLastPrefetchLocationType: return prefetched.type;
    case cudaMemRangeAttributeLastPrefetchLocationId: return prefetched.id;
    default: return std::nullopt;
  }
}

cudaError_t give_attribute(const std::vector<Advice>& parts, cudaMemRangeAttribute attribute, void* data,
                           std::size_t bytes) {
  auto* const to = static_cast<int*>(data);
  if (to == nullptr || bytes == 0 || bytes % sizeof *to != 0) return cudaErrorInvalidValue;
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    std::vector<int> by;
    const auto all = [&](bool Advice::*accessed) {
      return std::all_of(parts.begin(), parts.end(), [&](const Advice& part) { return part.*accessed; });
    };
    if (all(&Advice::accessed_by_device)) by.push_back(0);
    if (all(&Advice::accessed_by_host)) by.push_back(cudaCpuDeviceId);
    by.resize(bytes / sizeof *to, cudaInvalidDeviceId);
    std::copy(by.begin(), by.end(), to);
    return cudaSuccess;
  }
  const auto value = bytes == sizeof *to ? single_value(parts, attribute) : std::nullopt;
  if (!value) return cudaErrorInvalidValue;
  *to = *value;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, cudaMemLocation where) {
  return with_state([&](State& state) { return advise(state, pointer, bytes, advice, where); });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream) {
  return with_state([&](State& state) {
    if (flags != 0) return cudaErrorInvalidValue;
    auto error = check_location(where);
    if (error == cudaSuccess) error = check_ranges(state, {{pointer, bytes}}, stream);
    if (error == cudaSuccess) note_prefetch(state, {pointer, bytes, where});
    return error;
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count, cudaMemLocation* places,
                                      std::size_t* starts, std::size_t place_count, unsigned long long flags,
                                      cudaStream_t stream) {
  return run_batch({pointers, sizes, count, places, starts, place_count}, Places::needed, Discards::no, flags, stream);
}
cudaError_t cudaMemDiscardBatchAsync(void** pointers, std::size_t* sizes, std::size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
  return run_batch({pointers, sizes, count}, Places::none, Discards::yes, flags, stream);
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* sizes, std::size_t count,
                                                cudaMemLocation* places, std::size_t* starts, std::size_t place_count,
                                                unsigned long long flags, cudaStream_t stream) {
  return run_batch({pointers, sizes, count, places, starts, place_count}, Places::needed, Discards::yes, flags, stream);
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* sizes, cudaMemRangeAttribute* attributes,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  return with_state([&](State& state) {
    if (data == nullptr || sizes == nullptr || attributes == nullptr || count == 0) return cudaErrorInvalidValue;
    if (!is_managed(state, pointer, bytes)) return cudaErrorInvalidValue;
    const auto pages = pages_of(state, pointer, bytes);
    const std::lock_guard lock(state.mutex);
    const auto parts = state.advice.within(pages.begin, pages.end);
    for (std::size_t i = 0; i < count; ++i)
      if (const auto error = give_attribute(parts, attributes[i], data[i], sizes[i]); error != cudaSuccess)
        return error;
    return cudaSuccess;
  });
}
cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t size, cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes) {
  return runtime::cudaMemRangeGetAttributes(&data, &size, &attribute, 1, pointer, bytes);
}

// All of an allocation, to one place of three.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes, unsigned flags) {
  return with_state([&](State& state) {
    const auto found = state.memory.at(pointer);
    if (!found || found->kind != Kind::managed || (bytes != 0 && bytes != found->size)) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
      return cudaErrorInvalidValue;
    const Stream* on = state.find_stream(stream);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    return flags == cudaMemAttachSingle && on == &state.default_stream ? cudaErrorInvalidValue : cudaSuccess;
  });
}

}  // namespace xcuda::runtime
