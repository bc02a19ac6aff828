// Whole cells that a program runs.
#pragma once

#include <string_view>

#include "command/invocation.hpp"

namespace xcuda::command {

// Runs the body of the cell as this program's argument after -c.
void run_script(Invocation& call, std::string_view program);

}  // namespace xcuda::command
