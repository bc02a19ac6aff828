// %device
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/chart/device_links.hpp"
#include "session/switch_device.hpp"

namespace xcuda::command {
namespace {

void list_devices(Invocation& call) {
  std::vector<display::DeviceView> views;
  std::uint64_t bytes = 0;
  for (const auto& array : call.session.arrays().all()) bytes += array.bytes();
  call.session.device();
  call.session.chosen().look(session::limits_of(call.session.submission().wait_request()));
  for (const auto& choice : call.session.parts().devices) {
    display::DeviceView view{.selector = choice.selector};
    if (&choice == &call.session.chosen().choice()) {
      view.state = display::DeviceView::State::current;
      view.info = call.session.device().info();
      if (choice.info) view.info.board = choice.info->board;
      view.array_bytes = bytes;
      auto& device = call.session.device();
      for (std::uint32_t i = 0; device.devices() > 1 && i < device.devices(); ++i) {
        view.members.push_back(device.member(i).info());
        // What the list of single GPUs tells of this one.
        for (const auto& other : call.session.parts().devices)
          if (other.info && !other.info->uuid.empty() && other.info->uuid == view.members.back().uuid)
            view.members.back().board = other.info->board;
      }
    } else {
      view.state =
          choice.reason.empty() ? display::DeviceView::State::available : display::DeviceView::State::unavailable;
      view.reason = choice.reason;
      if (choice.info) view.info = *choice.info;
    }
    views.push_back(std::move(view));
  }
  call.show(display::linked_device_bundle(std::move(views)));
}

std::string launcher_of(std::string command, std::uint32_t ranks) {
  constexpr std::string_view kRanks = "{n}";
  if (const auto at = command.find(kRanks); at != std::string::npos)
    command.replace(at, kRanks.size(), std::to_string(ranks));
  return command;
}

void run_device(Invocation& call) {
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) return list_devices(call);
  const auto& word = call.arguments.operands[0];
  if (word.text == "list") return list_devices(call);
  auto selector = device::parse_selector(word.text);
  const auto limits = session::limits_of(call.session.submission().wait_request());
  if (selector && selector->reach == device::Selector::Reach::mpi)
    selector->launcher = launcher_of(call.session.settings().launcher, selector->count);
  if (selector) selector = call.session.chosen().offer(*selector, limits);
  const auto& choices = call.session.parts().devices;
  const auto find = [&] {
    return std::find_if(choices.begin(), choices.end(),
                        [&](const auto& choice) { return choice.selector == selector; });
  };
  auto chosen = find();
  // What kept a device away may have passed.
  if (chosen == choices.end() || !chosen->reason.empty()) {
    call.session.chosen().look(limits);
    if (selector) call.session.chosen().offer(*selector, limits);
    chosen = find();
  }
  if (chosen == choices.end()) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(device::to_text(choice.selector));
    const auto near = nearest(word.text, names);
    throw call
        .error(ErrorKind::name, fmt::format("unknown device {}", selector ? device::to_text(*selector) : word.text),
               word)
        .advise(near.empty() ? fmt::format("Devices: {}.", fmt::join(names, ", "))
                             : fmt::format("Did you mean {}?", near));
  }
  if (!chosen->reason.empty())
    throw call.error(ErrorKind::device,
                     fmt::format("cannot use {}: {}", device::to_text(chosen->selector), chosen->reason), word);
  call.run.current = word.span;
  session::switch_device(call.session, *selector);
  list_devices(call);
}

}  // namespace

Command device_command() {
  return {
      .name = "device",
      .operand = Operand::device,
      .usage = "%device [cpu | gpu:N | gpu:N-M | gpu:all | cpu:N | mpi:N]",
      .summary = "Describe the device, or move the session to another",
      .details =
          "Without an operand, describe the device in use and list the others. Arrays move with the session. gpu:0-3 "
          "and gpu:all use several GPUs together, and cpu:4 does the same with 4 processes of the CPU device. mpi:8 "
          "starts 8 ranks of an MPI job, on hosts that %config launcher chooses.",
      .example = "%device\n",
      .run = run_device,
  };
}

}  // namespace xcuda::command
