// What the text of a subscript says, as the check and the run read it.
#pragma once

#include <functional>
#include <string>

#include "cell/tree.hpp"

namespace xcuda::language {

bool is_new_axis(const cell::Subscript& subscript);  // newaxis, None
bool is_ellipsis(const cell::Subscript& subscript);  // ...

// Whether the text alone gives the number: -1, n - 1 with a constant n. A negative one counts from the end; a negative
// computed number is more likely a mistake.
bool is_fixed(const cell::Expression& expression, const std::function<bool(const std::string&)>& is_constant);

}  // namespace xcuda::language
