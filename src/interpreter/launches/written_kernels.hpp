// Kernels as cells and the user's headers write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "compiler/program.hpp"

namespace xcuda::interpreter {

struct WrittenKernel {
  std::string text, source;  // its own text; "In[3]", or the path of a header
  cell::DevicePiece piece;   // its places are those in the text
};

// The kernels with a name, or with it as the last part of a qualified name: the newest first, headers last.
std::vector<WrittenKernel> written_kernels(const compiler::Program& program, std::string_view name);

}  // namespace xcuda::interpreter
