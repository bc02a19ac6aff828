// A line that changes when a file does: its size, its time and its path. Empty where there is no such file.
#pragma once

#include <string>

namespace xcuda {

std::string file_stamp(const std::string& path);

// The stamp of the library or program that holds a function: another build of the code has another one.
std::string code_stamp(const void* function);

}  // namespace xcuda
