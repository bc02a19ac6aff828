// The way from an instruction to a line of the cell.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

// The names of a place, innermost first: the line as the compiler gives it, then where that was inlined, ... The last
// one is in the kernel's own text. `.file` names lose the slash of "/In[7]". Empty when the location is not known.
std::vector<Place> places(const Module& module, Index location);

// The place to show for an instruction: the innermost one in a cell ("In[7]"), else the outermost one.
// Instructions without a line take that of the nearest one before them.
Place place_of(const Module& module, const Function& function, Index instruction);

// "/In[7]" -> "In[7]"; other names stay.
std::string source_name(std::string_view file);

}  // namespace xcuda::ptx
