// Where libraries of CUDA and of Python's wheels may be on this machine, for opening them at run time.
#pragma once

#include <string>
#include <vector>

#include "compiler/toolkit.hpp"

namespace xcuda::compiler {

// Folders that exist, in the order of find_toolkit(); python: a Python whose wheels count, too, or empty. Wheels give
// their site-packages and the lib/ of each of nvidia's packages.
std::vector<std::string> library_folders(const SearchEnvironment& environment, const std::string& python);

}  // namespace xcuda::compiler
