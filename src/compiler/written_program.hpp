// The device code of a session as text for nvcc: what is alive, each piece after those that it uses. NVRTC takes
// functions without an annotation for device code; nvcc has to be told.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::compiler {

struct WrittenProgram {
  std::vector<std::string> includes;  // lines, each once
  std::string text;
  std::set<std::string> constants;   // scalars of statements that are in the text, as constexpr
  std::vector<std::string> options;  // of the compiler, that cells were compiled with and nvcc has, too
};

// Text of a function or a struct with the annotations that make it device code for nvcc.
std::string annotate_function(const std::string& text);
// Of the functions among the members at the first level, and in nested types, but for those of the host.
std::string annotate_members(const std::string& text, const std::vector<cell::Span>& of_host = {});

}  // namespace xcuda::compiler
