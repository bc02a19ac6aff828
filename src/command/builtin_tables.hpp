// The text that builtins.cpp reads.
#pragma once

#include <string_view>

namespace xcuda::command {

std::string_view builtin_table();
std::string_view header_list();  // separated by blanks

}  // namespace xcuda::command
