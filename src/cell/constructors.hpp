// Whether a struct's text says more of its values than the order of its members.
#pragma once

#include <string_view>

namespace xcuda::cell {

// struct P { P(int x); }, struct P { int n = 3; }: making one is more than copying values to its members.
bool has_constructor(std::string_view definition);

}  // namespace xcuda::cell
