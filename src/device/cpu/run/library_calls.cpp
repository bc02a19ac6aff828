#include "device/cpu/run/library_calls.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/units.hpp"

namespace xcuda::device::cpu {

void LibraryCalls::run(const LibraryLaunch& request) {
  auto& outcomes = parts_.outcomes;
  if (outcomes.skipped(request.number)) return;
  for (const auto& operand : request.call.operands) {
    if (!operand.is_given()) continue;
    const auto [first, last] = library::reach_of(operand);
    if (parts_.space.contains(first, last - first)) continue;
    Fault fault;
    fault.kind = FaultKind::illegal_address;
    fault.address = first;
    fault.launches = {request.number};
    fault.message = fmt::format("a library would reach {} at {:#x}, which is not entirely memory of this session",
                                format_bytes(last - first), first);
    return outcomes.end(std::move(fault));
  }
  outcomes.running(request.number);
  const auto start = std::chrono::steady_clock::now();
  auto report = libraries_.run(request.call);
  if (request.timing == Timing::each) {
    outcomes.timed(request.number, (std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));
    report.number = request.number;
    outcomes.reported(std::move(report));
  }
  outcomes.running(0);
  const auto [first, last] = library::reach_of(request.call.operands.front());
  parts_.space.written.write(first, last - first);
}

}  // namespace xcuda::device::cpu
