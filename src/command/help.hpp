// Help on the commands and the language, from the table.
#pragma once

#include <string>
#include <string_view>

#include "command/command_table.hpp"
#include "command/scope.hpp"
#include "display/bundle.hpp"

namespace xcuda::command {

display::Bundle help_page();                           // %help: the language on a page, the commands
display::Bundle magic_list();                          // %lsmagic
display::Bundle command_help(const Command& command);  // %help launch, launch?

// Help on a command (with or without %), a topic, or a name of the session or of CUDA. Error(name) when unknown.
display::Bundle help_on(std::string_view name, const Scope& scope);

// Topics with pages of their own: "language", "types", "options", "settings".
struct Topic {
  std::string_view name;
  std::string_view summary;
  display::Bundle (*page)();
};
const std::vector<Topic>& topics();

// "--repeat N", "-std, --std=c++20": how an option is written in help.
std::string option_text(const Option& option);

std::string commands_document();  // docs/commands.md

}  // namespace xcuda::command
