#include "device/cpu/lower/live_registers.hpp"

#include <algorithm>
#include <functional>

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Operand;
using ptx::Register;

namespace {

using Set = std::vector<bool>;  // by register
using Visit = std::function<void(Register)>;

void each_register(const Function& function, const Operand& operand, const Visit& visit) {
  if (operand.reg != ptx::kNoIndex) visit(operand.reg);
  if (operand.second != ptx::kNoIndex) visit(operand.second);
  if (operand.kind == Operand::Kind::vector)
    for (const Operand& element : function.elements_of(operand)) each_register(function, element, visit);
}

void each_read(const Function& function, const Instruction& instruction, const Visit& visit) {
  const auto operands = function.operands_of(instruction);
  for (std::size_t i = instruction.outputs; i < operands.size(); ++i) each_register(function, operands[i], visit);
  if (instruction.guarded()) visit(instruction.guard);
  if (instruction.call == ptx::kNoIndex) return;
  each_register(function, function.calls[instruction.call].callee, visit);
  for (const Operand& argument : function.calls[instruction.call].arguments) each_register(function, argument, visit);
}

// What comes before an instruction, from what comes after it.
void step_back(const Function& function, const Instruction& instruction, Set& live) {
  if (!instruction.guarded()) each_written(function, instruction, [&](Register each) { live[each] = false; });
  each_read(function, instruction, [&](Register each) { live[each] = true; });
}

}  // namespace

void each_written(const Function& function, const Instruction& instruction, const Visit& visit) {
  const auto operands = function.operands_of(instruction);
  for (std::size_t i = 0; i < instruction.outputs && i < operands.size(); ++i)
    each_register(function, operands[i], visit);
  if (instruction.call == ptx::kNoIndex) return;
  for (const Operand& result : function.calls[instruction.call].results) each_register(function, result, visit);
}

bool always_leaves(const Instruction& instruction) {
  return !instruction.guarded() && (instruction.opcode == ptx::Opcode::bra || instruction.is(ptx::Trait::leaves));
}

// Backwards over the instructions until the sets at the labels no longer change.
std::vector<std::vector<Register>> live_after(const Function& function, const std::vector<std::size_t>& at) {
  std::vector<Set> at_labels(function.labels.size(), Set(function.registers.size()));
  std::vector<std::vector<Index>> labels(function.instructions.size() + 1);  // before an instruction
  for (Index i = 0; i < function.labels.size(); ++i) labels[function.labels[i].instruction].push_back(i);
  std::vector<std::vector<Register>> found(at.size());
  for (bool changed = true; changed;) {
    changed = false;
    Set live(function.registers.size());
    for (std::size_t i = function.instructions.size(); i-- > 0;) {
      const Instruction& instruction = function.instructions[i];
      if (always_leaves(instruction)) std::fill(live.begin(), live.end(), false);
      if (instruction.opcode == ptx::Opcode::bra) {
        const Set& there = at_labels[function.operands_of(instruction)[0].index];
        for (Register each = 0; each < live.size(); ++each)
          if (there[each]) live[each] = true;
      }
      if (const auto place = std::find(at.begin(), at.end(), i); place != at.end()) {
        auto& list = found[static_cast<std::size_t>(place - at.begin())];
        list.clear();
        for (Register each = 0; each < live.size(); ++each)
          if (live[each]) list.push_back(each);
      }
      step_back(function, instruction, live);
      for (const Index label : labels[i]) {
        changed |= at_labels[label] != live;
        at_labels[label] = live;
      }
    }
  }
  return found;
}

}  // namespace xcuda::device::cpu
