// Turns PTX text into a tree.
#pragma once

#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

// Errors: compile, for text that is not PTX or holds an unknown construct; the message names the construct,
// the function and the line of the PTX, and its place is the line of the cell where the PTX tells it.
// name is what messages call the module ("In[7]").
Module parse(std::string_view text, std::string_view name);

// Queries, also for text that only a GPU's driver understands: unknown instructions are Opcode::unknown, unknown
// directives are skipped. parse_declarations() reads no bodies, parse_entry() only that of one entry.
Module parse_declarations(std::string_view text, std::string_view name);
Module parse_entry(std::string_view text, std::string_view name, std::string_view entry);

}  // namespace xcuda::ptx
