#include "device/remote/device_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "device/remote/codec.hpp"

namespace xcuda::device::remote {

std::vector<DeviceInfo> ask_for_devices(const WorkerOptions& options, const WaitLimits& limits) {
  Worker worker(options);
  const auto answer = worker.call({.head = {{"verb", "list"}}, .body = {}, .files = {}}, limits);
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    if (lost->reason == WorkerLost::Reason::interrupted) throw Error(ErrorKind::interrupted, "interrupted while the devices were listed");
    throw Error(ErrorKind::device, "cannot list the devices").said(describe(*lost)).advise("xcuda --doctor examines the installation.");
  }
  const auto& message = std::get<Message>(answer);
  std::vector<DeviceInfo> devices;
  ErrorText error;
  if (message.head.contains("error") && decode(message.body, error)) throw to_error(std::move(error));
  if (!decode(message.body, devices)) throw Error(ErrorKind::device, "cannot list the devices").said("the answer makes no sense");
  return devices;
}

int answer_with_devices(Channel& channel, const std::function<std::vector<DeviceInfo>()>& list) {
  while (channel.receive()) {
    Message answer;
    try {
      answer.head = nlohmann::json::object();
      answer.body = encode(list());
    } catch (const Error& error) {
      answer.head = {{"error", error.message}};
      answer.body = encode(to_text(error));
    }
    channel.send(answer);
  }
  return 0;
}

}  // namespace xcuda::device::remote
