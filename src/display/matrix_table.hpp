// A matrix as a table whose rows and columns have their numbers.
#pragma once

#include <optional>

#include "display/array_view.hpp"
#include "display/table.hpp"

namespace xcuda::display {

// The elements that are shown of an array of numbers with two dimensions; nothing for other arrays, and where a table
// would be larger than a page can be.
std::optional<Table> matrix_table(const ArrayView& array);

}  // namespace xcuda::display
