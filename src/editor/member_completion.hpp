// What can follow a . or ->.
#pragma once

#include <cstddef>
#include <string_view>

#include "command/scope.hpp"
#include "editor/candidates.hpp"
#include "editor/cursor_context.hpp"

namespace xcuda::editor {

void add_members(Candidates& found, const CursorContext& context, std::string_view code, std::size_t cursor,
                 const command::Scope& scope);

}  // namespace xcuda::editor
