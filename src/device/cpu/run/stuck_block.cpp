// A barrier that cannot complete, in words: which one, how many arrivals are missing, which threads wait or have left.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "device/cpu/run/launch_state.hpp"
#include "device/index_text.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint32_t kNotWaiting = 0xffff'ffff;

// By lane of a warp the site where it waits; kNotWaiting: it has left the kernel.
std::array<std::uint32_t, kLanesPerWarp> wait_sites(const BlockFrame& frame, const KernelCode& code,
                                                    std::uint32_t warp) {
  std::array<std::uint32_t, kLanesPerWarp> sites;
  sites.fill(kNotWaiting);
  const auto put = [&](std::uint32_t mask, std::uint32_t site) {
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      if (mask >> lane & 1) sites[lane] = std::min(site, kNotWaiting - 1);
  };
  const std::byte* save = frame.saves + std::size_t{warp} * code.save_bytes;
  WarpSave head;
  std::memcpy(&head, save, sizeof head);
  if (head.state == WarpSave::kDone) return sites;
  if (head.state != WarpSave::kMany && head.state != WarpSave::kYielded) {
    put(head.mask, head.state < code.barrier_sites.size() ? code.barrier_sites[head.state] : kNotWaiting);
    return sites;
  }
  if (code.dispatch == Dispatch::shared) {
    LaneQueueSave queue;
    std::memcpy(&queue, save + WarpSave::kQueueOffset, sizeof queue);
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      put((queue.met | queue.held | queue.gave) & 1u << lane, code.wait_sites[queue.next[lane]]);
    return sites;
  }
  for (std::size_t i = 0; i < code.wait_sites.size(); ++i) {
    std::uint32_t mask = 0;
    std::memcpy(&mask, save + offsetof(WarpSave, masks) + i * sizeof mask, sizeof mask);
    put(mask, code.wait_sites[i]);
  }
  return sites;
}

// "the mbarrier bar lacks 1 of 64 arrivals"
std::string missing_arrivals(const BlockFrame& frame, const KernelCode& code, Fault& fault) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kMbarrierCountBits) - 1;
  std::string text;
  for (const Address address : static_cast<const ThreadState*>(frame.runtime)->mbarriers) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    const std::uint64_t pending = word >> kMbarrierCountBits & kMask, expected = word & kMask;
    if (pending == 0) continue;
    std::string name = "an mbarrier";
    const Address offset = address - reinterpret_cast<Address>(frame.shared);
    for (const SharedVariable& variable : code.shared_variables)
      if (offset - variable.offset < variable.size)
        fault.array = variable.name, name = "the mbarrier in " + variable.name;
    text += fmt::format("{}{} lacks {} of {} arrivals", text.empty() ? "" : ", ", name, pending, expected);
  }
  // The barriers of bar.sync and its kin, which are counters in shared memory; see desugar.cpp.
  for (const SharedVariable& variable : code.shared_variables)
    for (std::uint32_t i = 0; i < 16 && variable.name == "xcuda_barriers"; ++i) {
      std::uint32_t come = 0;
      std::memcpy(&come, frame.shared + variable.offset + 8 * i, sizeof come);
      if (come)
        text += fmt::format("{}barrier {} has {} arrivals and waits for more", text.empty() ? "" : ", ", i, come);
    }
  return text.empty() ? "the threads of a block wait for each other, and shared memory no longer changes" : text;
}

std::string thread_text(const BlockFrame& frame, std::uint32_t linear) {
  return "thread " + index_text(thread_index(frame, linear));
}

// "thread (16, 0, 0) and 15 more"
std::string threads_text(const BlockFrame& frame, std::uint32_t warp, std::uint32_t lanes) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const int more = std::popcount(lanes) - 1;
  return thread_text(frame, warp * kLanesPerWarp + first) + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string place_text(const KernelCode& code, std::uint32_t site) {
  if (site >= code.sites.size() || code.sites[site].place.line == 0) return {};
  return fmt::format(" at {}:{}", code.sites[site].place.source, code.sites[site].place.line);
}

// As CUDA C++ says it.
std::string spoken(const ptx::Operation& operation) {
  if (operation.is(ptx::Trait::barrier)) return "__syncwarp()";
  const std::string_view name = ptx::row_of(operation.opcode).spoken;
  return name.empty() ? ptx::text_of(operation) : std::string(name);
}

}  // namespace

std::uint32_t mbarrier_made(BlockFrame* frame, LaneCall* call) {
  auto& made = static_cast<ThreadState*>(frame->runtime)->mbarriers;
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane) {
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
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call->arguments[0][first] >> lane & 1 &&
        static_cast<std::uint32_t>(call->arguments[1][lane]) < code.sites.size())
      missing |= 1u << lane;
  fault.message = fmt::format("{} of {}{} names lanes that do not reach it", spoken(code.sites[call->site].operation),
                              threads_text(*frame, call->warp, call->mask), place_text(code, call->site));
  if (missing)
    fault.message +=
        fmt::format(": {} wait{} for the block{}", threads_text(*frame, call->warp, missing),
                    std::has_single_bit(missing) ? "s" : "",
                    place_text(code, static_cast<std::uint32_t>(call->arguments[1][std::countr_zero(missing)])));
  state_of(frame).report(std::move(fault));
  return 1;
}

Fault stuck_fault(const BlockFrame& frame) {
  const KernelCode& code = state_of(&frame).code;
  Fault fault = fault_in(frame, FaultKind::barrier);
  std::uint32_t left = 0;
  std::optional<std::uint32_t> first_left;
  std::map<std::string, std::uint32_t> waiting;  // threads by place
  const std::uint32_t threads = frame.launch->block[0] * frame.launch->block[1] * frame.launch->block[2];
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const std::uint32_t site = wait_sites(frame, code, thread / kLanesPerWarp)[thread % kLanesPerWarp];
    if (site == kNotWaiting) {
      ++left;
      if (!first_left) first_left = thread;
      continue;
    }
    ++waiting[place_text(code, site)];
    if (fault.thread) continue;
    fault.thread = thread_index(frame, thread);
    if (site >= code.sites.size()) continue;
    const Place& place = code.sites[site].place;
    fault.source = place.source, fault.line = place.line, fault.column = place.column;
  }
  fault.message = missing_arrivals(frame, code, fault);
  for (const auto& [place, count] : waiting)
    fault.message += fmt::format("{} {} thread{} wait{}{}", place == waiting.begin()->first ? ":" : ",", count,
                                 count == 1 ? "" : "s", count == 1 ? "s" : "", place);
  if (first_left)
    fault.message += fmt::format(", and {}{} left the kernel", thread_text(frame, *first_left),
                                 left == 1 ? " has" : fmt::format(" and {} more have", left - 1));
  return fault;
}

}  // namespace xcuda::device::cpu
