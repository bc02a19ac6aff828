// Whole cells that a program runs.
#pragma once

#include <string>
#include <string_view>

#include "command/invocation.hpp"

namespace xcuda::command {

// A word of /bin/sh that means this text and nothing else.
std::string quoted_for_shell(std::string_view text);
// Runs the body of the cell as this program's argument after -c.
void run_script(Invocation& call, std::string_view program);

}  // namespace xcuda::command
