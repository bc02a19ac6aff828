// Where a test program finds the files and programs that its tests use. It may run on another machine than the one that
// built it, or from a moved copy of the tree: the environment comes first, the paths of the build last.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::test {

// A file or folder of the source tree, in $XCUDA_SOURCE_DIR, else where the program was built. Without such a tree the
// program says so and ends with exit code 2.
std::string source_file(std::string_view relative);

// The first of: $XCUDA_PROGRAMS, the folder of the running test program, bin/ of the build in $XCUDA_BINARY_DIR, else
// of the one that made this program. A program that is nowhere has its path in the last of them.
std::string program_file(std::string_view name);

}  // namespace xcuda::test
