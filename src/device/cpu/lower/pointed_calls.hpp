// Calls through pointers, of functions that are to be part of their callers: a pointer is compared with the address of
// each, and the call that follows names the function.
#pragma once

#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

struct PointedCalls {
  const ptx::Module& module;
  const std::vector<ptx::Index>& addressed;  // functions whose address may be in a pointer
  const std::vector<bool>& chosen;           // those that are to be named, by index
  ptx::Index nothing;                        // a function whose address is in no pointer

  // Which of the chosen functions an indirect call may be of.
  std::vector<ptx::Index> targets(const ptx::Function& caller, const ptx::Call& call) const;
};

bool has_targets(const ptx::Function& function, const PointedCalls& calls);
void name_targets(ptx::Function& function, const PointedCalls& calls);

}  // namespace xcuda::device::cpu
