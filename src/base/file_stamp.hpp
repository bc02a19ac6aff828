// A line that changes when a file does: its size, its time, and last its path. Empty where there is none.
#pragma once

#include <string>

namespace xcuda {

std::string file_stamp(const std::string& path);

// Of the library or program that holds a function: what another build of the code has another of.
std::string code_stamp(const void* function);

}  // namespace xcuda
