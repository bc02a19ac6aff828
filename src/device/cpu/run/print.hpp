// Device printf: turns the format and the packed arguments of one thread into text, as CUDA's host side does.
#pragma once

#include <cstddef>
#include <string>

namespace xcuda::device::cpu {

// Appends the text to out and returns what the kernel's printf returns: the number of arguments, or -1 without a
// format. arguments is laid out as by vprintf of PTX: each promoted argument at its natural alignment.
int format_print(std::string& out, const char* format, const std::byte* arguments);

}  // namespace xcuda::device::cpu
