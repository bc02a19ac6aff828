// The findings of --race and --init, in words.
#include <fmt/format.h>

#include <bit>

#include "device/cpu/run/launch_state.hpp"
#include "device/index_text.hpp"

namespace xcuda::device::cpu {
namespace {

std::string place_of(const AccessSite& site) {
  if (site.place.line == 0) return "an unknown line";
  return fmt::format("{}:{}", site.place.source, site.place.line);
}

std::string_view done_by(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "written";
    default: return "updated by an atomic";
  }
}

Dim3 block_of(const BlockFrame& frame, std::uint64_t linear) {
  const std::uint32_t* grid = frame.launch->grid;
  return {static_cast<std::uint32_t>(linear % grid[0]), static_cast<std::uint32_t>(linear / grid[0] % grid[1]),
          static_cast<std::uint32_t>(linear / grid[0] / grid[1])};
}

// Fills in what the address is, and returns it in words: "element 17 of tile".
std::string named(const BlockFrame& frame, const AccessRecorder::Finding& finding, const AccessSite& own,
                  Fault& fault) {
  LaunchState& state = state_of(&frame);
  const Address address = finding.address;
  // An instruction on a whole matrix does not tell which elements it accesses.
  const AccessSite& site = own.size > 0 ? own : state.code.sites[finding.other_site];
  const std::uint32_t component = std::max(site.size / std::max(site.components, 1u), 1u);
  const Address offset = address - reinterpret_cast<Address>(frame.shared);
  if (offset < frame.launch->shared_bytes) {
    fault.array = "shared memory";
    std::uint64_t begin = 0, size = frame.launch->shared_bytes;
    for (const SharedVariable& variable : state.code.shared_variables) {
      const std::uint64_t bytes = variable.size ? variable.size : frame.launch->shared_bytes - variable.offset;
      if (offset - variable.offset >= bytes) continue;
      fault.array = variable.name;
      begin = variable.offset;
      size = bytes;
    }
    fault.element = static_cast<std::int64_t>((offset - begin) / component);
    fault.elements = size / component;
  } else if (const auto range = state.space.find(address)) {
    const ArrayRange array = state.space.describe(range->begin);
    const std::uint64_t element = array.element_size > 0 ? array.element_size : component;
    fault.array = array.name;
    fault.element = static_cast<std::int64_t>((address - range->begin) / element);
    fault.elements = range->size / element;
  }
  if (fault.array.empty()) return fmt::format("the {} bytes at {:#x}", site.size, address);
  return fmt::format("element {} of {}", *fault.element, fault.array);
}

OtherAccess other_access(const BlockFrame& frame, const AccessRecorder::Finding& finding, std::string who) {
  const Place& place = state_of(&frame).code.sites[finding.other_site].place;
  const bool waits = finding.kind == AccessRecorder::Finding::Kind::barrier;
  return {waits ? Access::unknown : finding.other_access,
          std::move(who),
          finding.other_block_differs,
          place.source,
          place.line,
          place.column};
}

Fault fault_of(const BlockFrame& frame, const LaneCall& call, const AccessRecorder::Finding& finding) {
  using Kind = AccessRecorder::Finding::Kind;
  const LaunchState& state = state_of(&frame);
  const AccessSite& site = state.code.sites[call.site];
  const std::string me = index_text(thread_index(frame, call.warp * kLanesPerWarp + finding.lane));
  auto fault = [&](FaultKind kind) { return lane_fault(frame, call, finding.lane, kind); };
  switch (finding.kind) {
    case Kind::too_much: {
      Fault found = fault(FaultKind::unsupported);
      found.message = "--race needs more memory than is available for this launch: check a smaller problem";
      return found;
    }
    case Kind::uninitialised: {
      Fault found = fault(FaultKind::uninitialised_read);
      found.address = finding.address;
      const std::string what = named(frame, finding, site, found);
      const bool shared = finding.address - reinterpret_cast<Address>(frame.shared) < frame.launch->shared_bytes;
      found.access = finding.access;
      found.message = fmt::format("{} is {} by thread {} at {} before {}", what, done_by(finding.access), me,
                                  place_of(site), shared ? "any thread of its block wrote it" : "anything wrote it");
      if (!shared)
        found.message += fmt::format(
            "; {} was declared without a value: it is zero here, but holds old bytes in memory of "
            "cudaMalloc",
            found.array);
      return found;
    }
    case Kind::barrier: {
      Fault found = fault(FaultKind::barrier);
      found.access = Access::unknown;
      found.other = other_access(frame, finding, "thread " + index_text(thread_index(frame, finding.other_thread)));
      found.message = fmt::format(
          "threads of one block wait at different barriers: thread {} at {}, thread {} at {}; every thread must reach "
          "the same __syncthreads()",
          index_text(thread_index(frame, finding.other_thread)), place_of(state.code.sites[finding.other_site]), me,
          place_of(site));
      return found;
    }
    case Kind::race: break;
  }
  Fault found = fault(FaultKind::race);
  found.address = finding.address;
  const std::string what = named(frame, finding, site, found);
  std::string other = "thread " + index_text(thread_index(frame, finding.other_thread));
  if (finding.other_block_differs) other += " of block " + index_text(block_of(frame, finding.other_block));
  if (finding.several) other = "several threads";
  found.access = finding.access;
  found.other = other_access(frame, finding, other);
  if (finding.copying) {
    found.message = fmt::format(
        "data race on {}: copied by cp.async of {} at {}, {} by thread {} at {}; nothing waits for the copy in between "
        "(__pipeline_wait_prior, cp.async.wait_group)",
        what, other, place_of(state.code.sites[finding.other_site]), done_by(finding.access), me, place_of(site));
    return found;
  }
  const char* missing = finding.other_block_differs ? "nothing orders the two blocks"
                        : finding.other_thread / kLanesPerWarp == call.warp
                            ? "there is no __syncwarp() or __syncthreads() between them"
                            : "there is no __syncthreads() between them";
  found.message = fmt::format("data race on {}: {} by {} at {}, {} by thread {} at {}; {}", what,
                              done_by(finding.other_access), other, place_of(state.code.sites[finding.other_site]),
                              done_by(finding.access), me, place_of(site), missing);
  return found;
}

std::uint32_t answer(const BlockFrame& frame, const LaneCall& call,
                     const std::optional<AccessRecorder::Finding>& finding) {
  if (!finding) return kGoOn;
  state_of(&frame).report(fault_of(frame, call, *finding));
  return kLeave;
}

}  // namespace

std::uint32_t record_lanes(BlockFrame* frame, LaneCall* call, const CheckedAccesses* accesses, std::uint32_t mask,
                           std::uint32_t warp) {
  call->mask = mask;
  call->warp = warp;
  call->site = accesses->members[0].site;
  if (auto& counter = state_of(frame).counter) counter->access(*frame, *call, *accesses);
  auto& recorder = state_of(frame).recorder;
  return recorder ? answer(*frame, *call, recorder->access(*frame, *call, *accesses)) : kGoOn;
}

std::uint32_t mark_row(BlockFrame* frame, const MarkedRow* row, std::uint64_t* writes, std::uint64_t* reads,
                       std::uint32_t warp) {
  auto& recorder = state_of(frame).recorder;
  return recorder && recorder->mark(*row, writes, reads, warp);
}

std::uint32_t record_phase(BlockFrame* frame, LaneCall*) {
  if (auto& recorder = state_of(frame).recorder) recorder->begin_phase(*frame);
  return kGoOn;
}

std::uint32_t record_arrival(BlockFrame* frame, LaneCall* call) {
  auto& recorder = state_of(frame).recorder;
  return recorder ? answer(*frame, *call, recorder->arrive(*frame, *call)) : kGoOn;
}

std::uint32_t record_suspended(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->suspended(*frame, *call);
  return kGoOn;
}

std::uint32_t record_warp_synchronised(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->warp_synchronised(*frame, *call);
  return kGoOn;
}

std::uint32_t record_fence(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->fence(*frame, *call);
  return kGoOn;
}

std::uint32_t record_copy(BlockFrame* frame, LaneCall* call) {
  if (auto& counter = state_of(frame).counter) counter->copy(*frame, *call);
  auto& recorder = state_of(frame).recorder;
  return recorder ? answer(*frame, *call, recorder->copy(*frame, *call)) : kGoOn;
}

std::uint32_t record_close_copies(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->close_group(*frame, *call);
  return kGoOn;
}

std::uint32_t record_wait_copies(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->wait_for_copies(*frame, *call, call->arguments[0][0]);
  return kGoOn;
}

std::uint32_t record_arrived(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->arrived(*frame, *call);
  return kGoOn;
}

std::uint32_t record_waited(BlockFrame* frame, LaneCall* call) {
  if (auto& recorder = state_of(frame).recorder) recorder->waited(*frame, *call);
  return kGoOn;
}

// PTX leaves open what the lane gets then.
std::uint32_t missing_lane(BlockFrame* frame, LaneCall* call) {
  if (!state_of(frame).recorder) return kGoOn;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(call->mask));
  const auto source = static_cast<std::uint32_t>(call->arguments[0][lane]),
             members = static_cast<std::uint32_t>(call->arguments[1][lane]);
  Fault fault = lane_fault(*frame, *call, lane, FaultKind::barrier);
  fault.access = Access::unknown;
  fault.message =
      fmt::format("the shuffle of thread {} at {} reads lane {}, which {}",
                  index_text(thread_index(*frame, call->warp * kLanesPerWarp + lane)),
                  place_of(state_of(frame).code.sites[call->site]), source,
                  members >> source & 1 ? "does not take part: it has left the kernel, or is elsewhere in it"
                                        : fmt::format("its mask {:#010x} does not name", members));
  state_of(frame).report(std::move(fault));
  return kLeave;
}

std::uint32_t record_touch(BlockFrame* frame, LaneCall* call, const AccessRecorder::Touch& touch) {
  if (auto& counter = state_of(frame).counter)
    counter->touch(*frame, call->site, {touch.address, touch.bytes, touch.kind});
  auto& recorder = state_of(frame).recorder;
  return recorder ? answer(*frame, *call, recorder->touch(*frame, *call, touch)) : kGoOn;
}

}  // namespace xcuda::device::cpu
