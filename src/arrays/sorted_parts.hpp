// A sort in parts: each is sorted by itself, and then put where its elements belong in the whole.
#pragma once

#include <cstddef>
#include <vector>

#include "arrays/array_math.hpp"

namespace xcuda::arrays {

std::size_t most_sorted_parts();
// Writes the elements of one part to their places in the target, which has room for all parts. All parts are sorted,
// in the order that they have in the array.
void merge_part(Operations& operations, const std::vector<Pointer>& parts, std::size_t own, const Pointer& target);

}  // namespace xcuda::arrays
