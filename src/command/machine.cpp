// %device, %config, %restart, %reset
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "display/device_report.hpp"
#include "display/table.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

void list_devices(Invocation& call) {
  std::vector<display::DeviceView> views;
  std::uint64_t bytes = 0;
  for (const auto& array : call.session.arrays().all()) bytes += array.bytes();
  call.session.device();
  call.session.look_for_devices();
  for (const auto& choice : call.session.parts().devices) {
    display::DeviceView view{.selector = choice.selector};
    if (&choice == &call.session.choice()) {
      view.state = display::DeviceView::State::current;
      view.info = call.session.device().info();
      if (choice.info) view.info.board = choice.info->board;
      view.array_bytes = bytes;
    } else {
      view.state =
          choice.reason.empty() ? display::DeviceView::State::available : display::DeviceView::State::unavailable;
      view.reason = choice.reason;
      if (choice.info) view.info = *choice.info;
    }
    views.push_back(std::move(view));
  }
  call.show(display::device_bundle(views));
}

}  // namespace

void run_device(Invocation& call) {
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) return list_devices(call);
  const auto& word = call.arguments.operands[0];
  if (word.text == "list") return list_devices(call);
  const auto selector = device::parse_selector(word.text);
  const auto& choices = call.session.parts().devices;
  const auto find = [&] {
    return std::find_if(choices.begin(), choices.end(),
                        [&](const auto& choice) { return choice.selector == selector; });
  };
  auto chosen = find();
  if (chosen == choices.end()) {
    call.session.look_for_devices();
    chosen = find();
  }
  if (chosen == choices.end()) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(device::to_text(choice.selector));
    const auto near = nearest(word.text, names);
    throw call.error(ErrorKind::name, fmt::format("there is no device {}", word.text), word)
        .advise(near.empty() ? fmt::format("Devices: {}.", fmt::join(names, ", "))
                             : fmt::format("Did you mean {}?", near));
  }
  if (!chosen->reason.empty())
    throw call.error(ErrorKind::device,
                     fmt::format("{} cannot be used: {}", device::to_text(chosen->selector), chosen->reason), word);
  call.run.current = word.span;
  call.session.switch_device(*selector);
  list_devices(call);
}

void run_config(Invocation& call) {
  auto words = call.arguments.operands;
  // name=value is name value
  if (words.size() == 1 && !words[0].quoted)
    if (const auto equals = words[0].text.find('='); equals != std::string::npos) {
      auto value = words[0];
      value.text = words[0].text.substr(equals + 1);
      value.span.begin += static_cast<std::uint32_t>(equals + 1);
      words[0].text.resize(equals);
      words.push_back(value);
    }
  if (words.empty()) {
    display::Table list{.title = "Settings",
                        .columns = {{.title = "name", .kind = display::Column::Kind::code},
                                    {.title = "value"},
                                    {.title = "takes"},
                                    {.title = "meaning", .kind = display::Column::Kind::prose}}};
    for (const auto& row : session::setting_table())
      list.rows.push_back(
          {std::string(row.name), row.show(call.session.settings()), std::string(row.value), std::string(row.help)});
    call.show(display::table_bundle(list));
    return;
  }
  const auto* setting = session::find_setting(words[0].text);
  if (setting == nullptr) {
    std::vector<std::string> names;
    for (const auto& row : session::setting_table()) names.emplace_back(row.name);
    const auto near = nearest(words[0].text, names);
    throw call.error(ErrorKind::name, fmt::format("there is no setting {}", words[0].text), words[0])
        .advise(near.empty() ? fmt::format("Settings: {}.", fmt::join(names, ", "))
                             : fmt::format("Did you mean {}?", near));
  }
  if (words.size() > 1) {
    std::string value = words[1].text;
    for (std::size_t i = 2; i < words.size(); ++i) value += " " + words[i].text;
    auto changed = call.session.settings();
    if (!setting->set(changed, value))
      throw call
          .error(ErrorKind::value, fmt::format("{} takes {}, not \"{}\"", setting->name, setting->value, value),
                 words[1])
          .advise(fmt::format("{} is {}.", setting->name, setting->help));
    call.session.settings() = changed;
  }
  call.show(display::text_bundle(fmt::format("{} = {}", setting->name, setting->show(call.session.settings()))));
}

void run_restart(Invocation& call) {
  const auto recovery = call.session.restart_device();
  call.show(display::text_bundle(fmt::format("{} was restarted in {}; {} array{} kept", call.session.device_info().name,
                                             format_duration(static_cast<double>(recovery.duration)),
                                             call.session.arrays().all().size(),
                                             call.session.arrays().all().size() == 1 ? "" : "s")));
}

void run_reset(Invocation& call) {
  if (call.session.names().depth() > 1)
    throw call.error(ErrorKind::unsupported, "%reset inside a block, whose names it would take away")
        .advise("Put it outside of the braces.");
  const auto arrays = call.session.arrays().all().size();
  call.session.reset();
  call.show(display::text_bundle(
      fmt::format("the session is empty: {} array{} freed, all kernels, types and scalars forgotten", arrays,
                  arrays == 1 ? "" : "s")));
}

}  // namespace xcuda::command
