// What is at the cursor: Shift+Tab, JupyterLab's documentation panel.
#pragma once

#include <optional>
#include <string_view>

#include "command/name_page.hpp"

namespace xcuda::editor {

std::optional<display::Bundle> inspect(std::string_view code, std::size_t cursor, command::Detail detail,
                                       const command::Scope& scope);

}  // namespace xcuda::editor
