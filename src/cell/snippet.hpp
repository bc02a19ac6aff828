// Parts of a cell's text as messages quote them.
#pragma once

#include <string>
#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::cell {

// The text of a span, on one line and at most 80 bytes long.
std::string snippet(std::string_view text, Span span);

}  // namespace xcuda::cell
