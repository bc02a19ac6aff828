// NVIDIA's own libraries, where a program runs with ours of the same names.
#pragma once

#include <string>

namespace xcuda {

// Opens a library of the toolkit ("libnvrtc.so.13"): from where the program's own libraries are looked for, and then
// from CUDA_HOME, CUDA_PATH and /usr/local/cuda, but not from own_folder. It stays open. Null if it is not found.
void* open_toolkit_library(const std::string& file, const std::string& own_folder);
bool is_loaded(const std::string& file);                // of any maker
void* address_in(void* library, const char* function);  // null: it has no such function

}  // namespace xcuda
