// %config
#include <fmt/format.h>

#include "base/data_limit.hpp"
#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/table.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

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
    throw call.error(ErrorKind::name, fmt::format("unknown setting {}", words[0].text), words[0])
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
    call.session.chosen().limit_memory(changed.memory);
    limit_data(changed.memory);
    if (setting->name == "timeout") call.session.submission().change_time_limit(changed.timeout);
  }
  call.show(display::text_bundle(fmt::format("{} = {}", setting->name, setting->show(call.session.settings()))));
}

}  // namespace

Command config_command() {
  return {
      .name = "config",
      .operand = Operand::setting,
      .usage = "%config [name [value]]",
      .summary = "Show or change a setting",
      .example = "%config grace 0.5\n",
      .run = run_config,
  };
}

}  // namespace xcuda::command
