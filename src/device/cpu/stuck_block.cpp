// A barrier that cannot complete, in words: which one, how many arrivals are missing, who waits and who has left.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "device/cpu/launch_state.hpp"

namespace xcuda::device::cpu {
namespace {

// The lanes of a warp that have not left the kernel.
std::uint32_t waiting_lanes(const BlockFrame& frame, const KernelCode& code, std::uint32_t warp) {
  const std::byte* save = frame.saves + std::size_t{warp} * code.save_bytes;
  WarpSave head;
  std::memcpy(&head, save, sizeof head);
  if (head.state == WarpSave::done) return 0;
  if (head.state != WarpSave::many && head.state != WarpSave::yielded) return head.mask;
  std::uint32_t lanes = 0;
  for (std::uint32_t i = 0; i < code.wait_masks; ++i) {
    std::uint32_t mask = 0;
    std::memcpy(&mask, save + offsetof(WarpSave, masks) + i * sizeof mask, sizeof mask);
    lanes |= mask;
  }
  return lanes;
}

// "the mbarrier bar lacks 1 of 64 arrivals"
std::string missing_arrivals(const BlockFrame& frame, const KernelCode& code, Fault& fault) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << mbarrier_count_bits) - 1;
  std::string text;
  for (const Address address : static_cast<const ThreadState*>(frame.runtime)->mbarriers) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    const std::uint64_t pending = word >> mbarrier_count_bits & mask, expected = word & mask;
    if (pending == 0) continue;
    std::string name = "an mbarrier";
    const Address offset = address - reinterpret_cast<Address>(frame.shared);
    for (const SharedVariable& variable : code.shared_variables)
      if (offset - variable.offset < variable.size)
        fault.array = variable.name, name = "the mbarrier in " + variable.name;
    text += fmt::format("{}{} lacks {} of {} arrivals", text.empty() ? "" : ", ", name, pending, expected);
  }
  return text.empty() ? "an mbarrier is not complete" : text;
}

std::string thread_text(const BlockFrame& frame, std::uint32_t linear) {
  const Dim3 index = thread_index(frame, linear);
  return fmt::format("thread ({}, {}, {})", index.x, index.y, index.z);
}

// "thread (16, 0, 0) and 15 more"
std::string threads_text(const BlockFrame& frame, std::uint32_t warp, std::uint32_t lanes) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const int more = std::popcount(lanes) - 1;
  return thread_text(frame, warp * lanes_per_warp + first) + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string place_text(const KernelCode& code, std::uint32_t site) {
  if (site >= code.sites.size() || code.sites[site].place.line == 0) return {};
  return fmt::format(" at {}:{}", code.sites[site].place.source, code.sites[site].place.line);
}

// As CUDA C++ says it.
std::string_view spoken(std::string_view opcode) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"shfl", "a shuffle"}, {"vote", "a vote"}, {"match", "__match_*_sync()"}, {"redux", "__reduce_*_sync()"},
      {"bar", "__syncwarp()"}};
  for (const auto& [prefix, name] : names)
    if (opcode.starts_with(prefix)) return name;
  return opcode;
}

}  // namespace

std::uint32_t mbarrier_made(BlockFrame* frame, LaneCall* call) {
  auto& made = static_cast<ThreadState*>(frame->runtime)->mbarriers;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane) {
    if (!(call->mask >> lane & 1)) continue;
    std::erase(made, call->arguments[0][lane]);
    made.push_back(call->arguments[0][lane]);
  }
  return 0;
}

std::uint32_t warp_stuck(BlockFrame* frame, LaneCall* call) {
  const KernelCode& code = state_of(frame).code;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(call->mask));
  Fault fault = lane_fault(*frame, *call, first, FaultKind::barrier);
  fault.access = Access::unknown;
  std::uint32_t missing = 0;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    if (call->arguments[0][first] >> lane & 1 && static_cast<std::uint32_t>(call->arguments[1][lane]) < code.sites.size())
      missing |= 1u << lane;
  fault.message = fmt::format("{} of {}{} names lanes that do not come to it", spoken(code.sites[call->site].opcode),
                              threads_text(*frame, call->warp, call->mask), place_text(code, call->site));
  if (missing)
    fault.message += fmt::format(": {} wait{} for the block{}", threads_text(*frame, call->warp, missing),
                                 std::has_single_bit(missing) ? "s" : "",
                                 place_text(code, static_cast<std::uint32_t>(call->arguments[1][std::countr_zero(missing)])));
  state_of(frame).report(std::move(fault));
  return 1;
}

Fault stuck_fault(const BlockFrame& frame) {
  const KernelCode& code = state_of(&frame).code;
  Fault fault = fault_in(frame, FaultKind::barrier);
  std::uint32_t waiting = 0, left = 0;
  std::optional<std::uint32_t> first_waiting, first_left;
  const std::uint32_t threads = frame.launch->block[0] * frame.launch->block[1] * frame.launch->block[2];
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const bool waits = waiting_lanes(frame, code, thread / lanes_per_warp) >> thread % lanes_per_warp & 1;
    (waits ? waiting : left) += 1;
    std::optional<std::uint32_t>& first = waits ? first_waiting : first_left;
    if (!first) first = thread;
  }
  std::string where;
  for (const AccessSite& site : code.sites) {
    if (!site.opcode.starts_with("mbarrier.t") || site.place.line == 0) continue;  // test_wait, try_wait
    if (fault.line == 0)
      fault.source = site.place.source, fault.line = site.place.line, fault.column = site.place.column;
    const std::string place = fmt::format("{}:{}", site.place.source, site.place.line);
    if (where.find(place) == std::string::npos) where += (where.empty() ? " at " : " or ") + place;
  }
  if (first_waiting) fault.thread = thread_index(frame, *first_waiting);
  fault.message = fmt::format("{}: {} thread{} wait{}{}", missing_arrivals(frame, code, fault), waiting,
                              waiting == 1 ? "" : "s", waiting == 1 ? "s" : "", where);
  if (first_left)
    fault.message += fmt::format(", and {}{} left the kernel", thread_text(frame, *first_left),
                                 left == 1 ? " has" : fmt::format(" and {} more have", left - 1));
  return fault;
}

}  // namespace xcuda::device::cpu
