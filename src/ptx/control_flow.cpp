#include "ptx/control_flow.hpp"

#include <algorithm>

namespace xcuda::ptx {
namespace {

bool branches(const Instruction& instruction) {
  return instruction.is(Trait::branches) || instruction.targets != kNoIndex;
}
bool leaves(const Instruction& instruction) { return instruction.is(Trait::leaves); }

void add_edge(ControlFlow& flow, Index from, Index to) {
  auto& successors = flow.blocks[from].successors;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  flow.blocks[to].predecessors.push_back(from);
}

}  // namespace

ControlFlow control_flow(const Function& function) {
  const auto count = static_cast<Index>(function.instructions.size());
  std::vector<bool> begins(count + 1, false);
  begins[0] = true;
  for (const Label& label : function.labels) begins[label.instruction] = true;
  for (Index i = 0; i < count; ++i)
    if (branches(function.instructions[i]) || leaves(function.instructions[i])) begins[i + 1] = true;
  // A label at the very end needs a block to name; it is empty and returns.
  const bool label_at_end = std::any_of(function.labels.begin(), function.labels.end(),
                                        [&](const Label& l) { return l.instruction == count; });

  ControlFlow flow;
  flow.block_of_instruction.resize(count);
  for (Index i = 0; i < count; ++i) {
    if (begins[i]) {
      flow.blocks.emplace_back();
      flow.blocks.back().begin = i;
    }
    flow.blocks.back().end = i + 1;
    flow.block_of_instruction[i] = static_cast<Index>(flow.blocks.size() - 1);
  }
  if (label_at_end || count == 0) {
    flow.blocks.emplace_back();
    flow.blocks.back().begin = flow.blocks.back().end = count;
  }
  for (const Label& label : function.labels)
    flow.block_of_label.push_back(label.instruction < count ? flow.block_of_instruction[label.instruction]
                                                            : static_cast<Index>(flow.blocks.size() - 1));

  for (Index b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    bool falls = true;
    if (block.begin < block.end) {
      const Instruction& last = function.instructions[block.end - 1];
      falls = last.guarded() || !(branches(last) || leaves(last));
      if (leaves(last)) block.returns = true;
      for (const Operand& operand : function.operands_of(last))
        if (operand.kind == Operand::Kind::label) add_edge(flow, b, flow.block_of_label[operand.index]);
      if (last.targets != kNoIndex)
        for (const Index label : function.target_lists[last.targets]) add_edge(flow, b, flow.block_of_label[label]);
    }
    if (!falls) continue;
    if (b + 1 < flow.blocks.size())
      add_edge(flow, b, b + 1);
    else
      block.returns = true;
  }
  return flow;
}

std::string source_name(std::string_view file) {
  if (file.starts_with("/In[")) file.remove_prefix(1);
  return std::string(file);
}

std::vector<Place> places(const Module& module, Index location) {
  std::vector<Place> chain;
  for (Index at = location; at != kNoIndex; at = module.locations[at].inlined_at) {
    const Location& loc = module.locations[at];
    Place& place = chain.emplace_back();
    if (loc.file != kNoIndex) place.source = source_name(module.files[loc.file]);
    place.line = loc.line;
    place.column = loc.column;
  }
  return chain;
}

Place place_of(const Module& module, const Function& function, Index instruction) {
  for (Index i = std::min<Index>(instruction + 1, static_cast<Index>(function.instructions.size())); i-- > 0;) {
    const Index location = function.instructions[i].location;
    if (location == kNoIndex || module.locations[location].line == 0) continue;
    std::vector<Place> chain = places(module, location);
    for (Place& place : chain)
      if (place.source.starts_with("In[")) return std::move(place);
    return std::move(chain.back());
  }
  return {};
}

}  // namespace xcuda::ptx
