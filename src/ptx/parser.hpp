// PTX text -> tree.
#pragma once

#include <string_view>

#include "ptx/tree.hpp"

namespace xcuda::ptx {

// Errors: compile, for text that is no PTX or holds a construct that is not known; the message names the construct,
// the function and the line of the PTX, and its place is the line of the cell where the PTX tells it.
// name is what messages call the module ("In[7]").
Module parse(std::string_view text, std::string_view name);

// The same without the bodies of functions, for a device that reads those itself: they may hold instructions that are
// not known here.
Module parse_declarations(std::string_view text, std::string_view name);

}  // namespace xcuda::ptx
