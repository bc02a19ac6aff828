// What the passes over the tree left, for tests to compare.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Labels and instructions of a function, a line each.
inline std::string text_of(const ptx::Module& module, std::string_view name) {
  const ptx::Function& function = *module.find_function(name);
  std::string text;
  for (ptx::Index i = 0; i <= function.instructions.size(); ++i) {
    for (const ptx::Label& label : function.labels)
      if (label.instruction == i) text += label.name + ":\n";
    if (i < function.instructions.size())
      text += "  " + ptx::text_of(module, function, function.instructions[i]) + "\n";
  }
  return text;
}

}  // namespace xcuda::device::cpu
