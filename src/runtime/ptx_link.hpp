// Links several PTX texts, as nvcc's -rdc=true leaves them, into one, as the driver's linker would.
#pragma once

#include <string>
#include <vector>

namespace xcuda::runtime {

// Declarations find their definitions in the other texts; of several weak definitions the first one stays; names that a
// text has for itself are changed where another text has them, too. A name that nothing defines stays declared: the
// kernel that uses it is refused.
std::string linked_ptx(const std::vector<std::string>& texts);

// Adds the functions that a GPU's device runtime has for graphs, where the text calls them.
std::string with_graph_functions(std::string text);

}  // namespace xcuda::runtime
