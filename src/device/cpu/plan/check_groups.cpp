#include "device/cpu/plan/check_groups.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

const ptx::Operand* accessed(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto operands = function.operands_of(instruction);
  const std::size_t index = instruction.outputs;
  return instruction.is(ptx::Trait::accesses) && index < operands.size() ? &operands[index] : nullptr;
}

CheckGroups find_check_groups(const Graph& graph) {
  const ptx::Function& function = *graph.function;
  CheckGroups checks;
  auto& [groups, group_of] = checks;
  for (const FlowBlock& block : graph.blocks) {
    std::map<std::pair<ptx::Register, ptx::Space>, std::size_t> open;
    for (ptx::Index i = block.begin; i < block.end; ++i) {
      const ptx::Instruction& instruction = function.instructions[i];
      const ptx::Operand* address = accessed(function, instruction);
      if (address && address->kind == ptx::Operand::Kind::address && address->reg != ptx::kNoIndex &&
          !instruction.guarded() && instruction.space != ptx::Space::param) {
        const std::int64_t bytes = std::max(1, ptx::bits_of(instruction.type()) / 8) * instruction.vector;
        const std::int64_t begin = address->offset, end = begin + bytes;
        const auto [found, added] = open.try_emplace({address->reg, instruction.space}, groups.size());
        if (added) groups.push_back({{}, begin, end});
        CheckGroup& group = groups[found->second];
        group.members.push_back(i);
        group.begin = std::min(group.begin, begin);
        group.end = std::max(group.end, end);
        group_of[i] = found->second;
      }
      for (ptx::Register written : accesses_of(function, instruction).writes)
        std::erase_if(open, [&](const auto& each) { return each.first.first == written; });
      if (instruction.is(ptx::Trait::calls)) open.clear();  // may end the kernel
    }
  }
  return checks;
}

}  // namespace xcuda::device::cpu
