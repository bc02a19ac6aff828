// Structs and short lists of vectors as a table: a column for each member.
#pragma once

#include <optional>

#include "display/array_view.hpp"
#include "display/table.hpp"

namespace xcuda::display {

// The shown elements, a row each, with their indices in front; nothing for types without members to show.
std::optional<Table> record_table(const ArrayView& array);

}  // namespace xcuda::display
