#include "device/cpu/plan/steps.hpp"

#include <algorithm>

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Meaning;
using ptx::Operand;

namespace {
constexpr int kDeepest = 8;  // instructions that a step is followed through
}

std::vector<bool> blocks_in_loops(const Graph& graph) {
  std::vector<bool> inside(graph.blocks.size());
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b)
    for (const BlockIndex next : {graph.blocks[b].next, graph.blocks[b].taken})
      if (next <= b) std::fill(inside.begin() + next, inside.begin() + b + 1, true);
  return inside;
}

StepFinder::StepFinder(const ptx::Function& function, const Graph& graph, std::vector<bool> in_loop)
    : function_(&function), in_loop_(std::move(in_loop)), definitions_(function.registers.size()) {
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b)
    for (ptx::Index i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i)
      for (const ptx::Register reg : accesses_of(function, function.instructions[i]).writes) {
        Definitions& definitions = definitions_[reg];
        if (in_loop_[b])
          definitions.in_loop = i, ++definitions.loops;
        else
          ++definitions.others;
      }
}

std::optional<Step> StepFinder::of(ptx::Register reg, BlockIndex block) const {
  Step step;
  if (reg == ptx::kNoIndex || !in_loop_[block] || !add(reg, 1, 0, step) || step.parts.empty()) return std::nullopt;
  return step;
}

std::optional<Step> StepFinder::of_grid(ptx::Register reg, BlockIndex block) const {
  std::optional<Step> step = of(reg, block);
  const auto is_wide = [&](const Step::Part& part) {
    return part.reg != ptx::kNoIndex && grows_with_grid(part.reg, 0);
  };
  if (step && std::none_of(step->parts.begin(), step->parts.end(), is_wide)) step.reset();
  return step;
}

// Whether the number of blocks is among the factors.
bool StepFinder::grows_with_grid(ptx::Register reg, int depth) const {
  if (depth > 3) return false;
  for (const Instruction& instruction : function_->instructions) {
    const auto operands = function_->operands_of(instruction);
    if (operands.empty() || operands[0].kind != Operand::Kind::reg || operands[0].reg != reg) continue;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      if (operands[i].kind == Operand::Kind::special && operands[i].special == ptx::Special::nctaid_x) return true;
      if (operands[i].kind == Operand::Kind::reg && operands[i].reg != ptx::kNoIndex && operands[i].reg != reg &&
          grows_with_grid(operands[i].reg, depth + 1))
        return true;
    }
  }
  return false;
}

bool StepFinder::add(ptx::Register reg, std::int64_t factor, int depth, Step& step) const {
  const Definitions& definitions = definitions_[reg];
  if (definitions.loops == 0) return true;  // the same in each turn
  if (definitions.loops > 1 || depth > kDeepest) return false;
  const Instruction& instruction = function_->instructions[definitions.in_loop];
  if (instruction.guarded()) return false;
  const auto operands = function_->operands_of(instruction);
  auto is_reg = [&](std::size_t i) {
    return operands[i].kind == Operand::Kind::reg && operands[i].reg != ptx::kNoIndex &&
           operands[i].second == ptx::kNoIndex;
  };
  auto is_number = [&](std::size_t i) { return operands[i].kind == Operand::Kind::integer; };
  auto number = [&](std::size_t i) { return static_cast<std::int64_t>(operands[i].bits); };
  auto follow = [&](std::size_t i, std::int64_t by) {
    return is_number(i) || (is_reg(i) && add(operands[i].reg, by, depth + 1, step));
  };
  switch (instruction.meaning()) {
    case Meaning::sum:
      for (const std::size_t self : {1, 2}) {
        if (!is_reg(self) || operands[self].reg != reg) continue;
        return add_same(operands[3 - self], factor, depth, step);
      }
      return definitions.others == 0 && follow(1, factor) && follow(2, factor);
    case Meaning::copy:
    case Meaning::conversion:
    case Meaning::address: return definitions.others == 0 && follow(1, factor);
    case Meaning::product:
      if (definitions.others > 0) return false;
      return is_number(2) ? follow(1, factor * number(2)) : add_product(operands, factor, depth, step);
    case Meaning::shift_left:
      return definitions.others == 0 && is_number(2) && number(2) < 32 && follow(1, factor << number(2));
    case Meaning::product_sum:
      if (definitions.others > 0 || !follow(3, factor)) return false;
      return is_number(2) ? follow(1, factor * number(2)) : add_product(operands, factor, depth, step);
    default: return false;
  }
}

// Operands 1 and 2 of a product: one changes by a number in each turn, or not at all, and the other stays the same.
bool StepFinder::add_product(std::span<const Operand> operands, std::int64_t factor, int depth, Step& step) const {
  for (const std::size_t changing : {1, 2}) {
    const Operand& operand = operands[changing];
    Step own;
    if (operand.kind != Operand::Kind::reg || operand.reg == ptx::kNoIndex || operand.second != ptx::kNoIndex ||
        !add(operand.reg, 1, depth + 1, own))
      return false;
    if (own.parts.empty()) continue;
    std::int64_t number = 0;
    for (const Step::Part& part : own.parts) {
      if (part.reg != ptx::kNoIndex) return false;
      number += part.factor;
    }
    return add_same(operands[3 - changing], factor * number, depth + 1, step);
  }
  return true;
}

// A value that is the same in each turn, though it may be computed in each.
bool StepFinder::add_same(const Operand& operand, std::int64_t factor, int depth, Step& step) const {
  if (operand.kind == Operand::Kind::integer)
    return step.parts.push_back({ptx::kNoIndex, factor * static_cast<std::int32_t>(operand.bits)}), true;
  if (operand.kind != Operand::Kind::reg || operand.reg == ptx::kNoIndex || operand.second != ptx::kNoIndex ||
      depth > kDeepest)
    return false;
  const Definitions& definitions = definitions_[operand.reg];
  if (definitions.loops == 0) return step.parts.push_back({operand.reg, factor}), true;
  if (definitions.loops > 1 || definitions.others > 0) return false;
  const Instruction& instruction = function_->instructions[definitions.in_loop];
  if (instruction.guarded()) return false;
  const auto operands = function_->operands_of(instruction);
  const bool by_number = operands.size() > 2 && operands[2].kind == Operand::Kind::integer;
  switch (instruction.meaning()) {
    case Meaning::copy:
    case Meaning::conversion: return add_same(operands[1], factor, depth + 1, step);
    case Meaning::product:
      return by_number && add_same(operands[1], factor * static_cast<std::int32_t>(operands[2].bits), depth + 1, step);
    case Meaning::shift_left:
      return by_number && operands[2].bits < 32 && add_same(operands[1], factor << operands[2].bits, depth + 1, step);
    default: return false;
  }
}

}  // namespace xcuda::device::cpu
