// PTX text -> tree.
#pragma once

#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

// Errors: compile, for text that is not PTX or holds a construct that is not known; the message names the construct,
// the function and the line of the PTX, and its place is the line of the cell where the PTX tells it.
// name is what messages call the module ("In[7]").
Module parse(std::string_view text, std::string_view name);

// Queries, also of what only a GPU's driver understands: instructions that are not known are Opcode::unknown, and
// directives are passed over. parse_declarations() reads no bodies, parse_entry() only that of one entry.
Module parse_declarations(std::string_view text, std::string_view name);
Module parse_entry(std::string_view text, std::string_view name, std::string_view entry);

}  // namespace xcuda::ptx
