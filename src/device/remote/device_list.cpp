#include "device/remote/device_list.hpp"

#include <variant>

#include "device/remote/codec.hpp"

namespace xcuda::device::remote {
namespace {

Error failed(std::string why) { return Error(ErrorKind::device, "cannot list the devices").said(std::move(why)); }

}  // namespace

DeviceList ask_for_devices(const WorkerOptions& options, const WaitLimits& limits) {
  const auto ask = [&] {
    Worker worker(options);
    return worker.call({.head = {{"verb", "list"}}, .body = {}, .files = {}}, limits);
  };
  auto answer = ask();
  if (const auto* lost = std::get_if<WorkerLost>(&answer); lost != nullptr && lost->by_itself()) answer = ask();
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    if (lost->reason == WorkerLost::Reason::interrupted)
      return {{}, Error(ErrorKind::interrupted, "interrupted while the devices were listed")};
    return {{}, failed(describe(*lost)).advise("Run xcuda --doctor to check the installation.")};
  }
  DeviceList list;
  std::optional<ErrorText> error;
  if (!decode(std::get<Message>(answer).body, list.devices, error)) return {{}, failed("the answer is malformed")};
  if (error) list.error = to_error(std::move(*error));
  return list;
}

}  // namespace xcuda::device::remote
