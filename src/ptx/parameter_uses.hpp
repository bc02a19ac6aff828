// Which of its pointers a kernel reads through and which it writes through, from its code alone.
#pragma once

#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

struct ParameterUse {
  bool reads = false, writes = false;
  bool operator==(const ParameterUse&) const = default;
};

// What may happen, and more than does happen where code depends on values: an access counts for every parameter that
// its address is computed from. Parameters that are numbers have uses, too, as indices.
struct ParameterUses {
  std::vector<ParameterUse> parameters;  // of the entry, in order
  // The entry may also access other memory: module variables, textures, pointers that were loaded, and whatever a
  // function that it calls reaches.
  bool elsewhere = false;
};

ParameterUses parameter_uses(const Module& module, const Function& entry);

}  // namespace xcuda::ptx
