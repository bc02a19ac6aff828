// Accesses of a basic block that go to the same register plus a constant: one bounds check covers them all.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/cpu/plan/flow_graph.hpp"

namespace xcuda::device::cpu {

struct CheckGroup {
  std::vector<ptx::Index> members;  // instructions in order; the first one emits the check
  std::int64_t begin = 0, end = 0;  // bytes from the register's value
};

// Every unguarded load, store and atomic through a register is in one group.
struct CheckGroups {
  std::vector<CheckGroup> groups;
  std::map<ptx::Index, std::size_t> group_of;  // by instruction

  const CheckGroup* of(ptx::Index instruction) const {
    const auto found = group_of.find(instruction);
    return found == group_of.end() ? nullptr : &groups[found->second];
  }
};
CheckGroups find_check_groups(const Graph& graph);

// The operand of a load, store or atomic that is its address; none for other instructions.
const ptx::Operand* accessed(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace xcuda::device::cpu
