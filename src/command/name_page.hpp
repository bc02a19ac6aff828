// What name? shows: a command, a name of the cells, one of CUDA. Editors show the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "command/scope.hpp"
#include "display/bundle.hpp"
#include "reference/builtins.hpp"
#include "session/settings.hpp"

namespace xcuda::command {

enum class Detail : std::uint8_t { summary, source };  // name? and name??

std::optional<display::Bundle> name_page(std::string_view name, Detail detail, const Scope& scope);
// The same of a function or kernel whose arguments are being written: its parameter for this one is marked.
std::optional<display::Bundle> call_page(std::string_view name, std::size_t argument, const Scope& scope);
// Of a name among the arguments of a call: what is called, in a line, with its parameter marked, and the name's own
// page.
display::Bundle argument_page(std::string_view called, std::size_t argument, display::Bundle page, const Scope& scope);
// "--repeat" of a command, or of any where none is named; also one of a compile.
std::optional<display::Bundle> option_page(std::string_view name, std::string_view command);
display::Bundle member_page(const reference::Builtin& member, std::string_view type);
display::Bundle setting_page(const session::Setting& setting);

}  // namespace xcuda::command
