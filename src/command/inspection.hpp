// What stands at the cursor: name?, name??, Shift+Tab, JupyterLab's documentation panel.
#pragma once

#include <optional>
#include <string_view>

#include "command/scope.hpp"
#include "display/bundle.hpp"

namespace xcuda::command {

enum class Detail : std::uint8_t { summary, source };  // name? and name??

std::optional<display::Bundle> inspect_name(std::string_view name, Detail detail, const Scope& scope);
std::optional<display::Bundle> inspect(std::string_view code, std::size_t cursor, Detail detail, const Scope& scope);

}  // namespace xcuda::command
