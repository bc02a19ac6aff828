#include "device/cpu/run/host_module_calls.hpp"

#include <iterator>
#include <utility>

#include "device/cpu/run/fault_signals.hpp"
#include "device/session_stream.hpp"

namespace xcuda::device::cpu {
namespace {

void append_completion(Completion& to, Completion from) {
  const auto append = [](auto& list, auto& more) {
    list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(to.timings, from.timings);
  append(to.reports, from.reports);
  append(to.refused, from.refused);
  append(to.skipped, from.skipped);
  if (!to.fault) to.fault = std::move(from.fault);
}

}  // namespace

void HostCalls::run(const HostCall& call, std::span<std::byte> staging) {
  if (outcomes_.ended() || outcomes_.skipped(call.number)) return;
  append_completion(held_, outcomes_.take());
  outcomes_.running(call.number);
  running_ = call.number;
  set_current_call(call.number);
  auto refused = modules_.call(call, staging, session_stream);
  set_current_call(0);
  running_ = 0;
  outcomes_.running(0);
  if (refused) outcomes_.refuse(std::move(*refused));
}

Completion HostCalls::tell(Completion completion) {
  if (running_ == 0) {
    append_completion(held_, std::move(completion));
    return std::exchange(held_, {});
  }
  append_completion(held_, completion);
  return completion;
}

}  // namespace xcuda::device::cpu
