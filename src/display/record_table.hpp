// Structs and short lists of vectors as a table: a column for each member.
#pragma once

#include <optional>

#include "display/array_view.hpp"
#include "display/table.hpp"

namespace xcuda::display {

// The elements that are shown, a row each, with their indices in front; nothing for what has no members to show.
std::optional<Table> record_table(const ArrayView& array);

}  // namespace xcuda::display
