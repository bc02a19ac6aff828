// Which includes of earlier cells a later cell can do without: headers that take NVRTC long to read and declare nothing
// but names of their own namespace, or names with a prefix of their own.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace xcuda::compiler {

// True for such a header when none of the names is its own. A guess, so keep the unit with all includes.
bool may_be_left_out(std::string_view header, const std::unordered_set<std::string>& names);

}  // namespace xcuda::compiler
