// The name of a cell in code that is compiled once for cells of any name.
#pragma once

#include <string_view>

namespace xcuda::session {

// A loop of statements that runs as native code has its lines in "In[]": run again, a cell has another number. Faults
// name the cell that the launch is in.
inline constexpr std::string_view kOwnCell = "In[]";

}  // namespace xcuda::session
