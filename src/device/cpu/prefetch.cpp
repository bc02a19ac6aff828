#include "device/cpu/prefetch.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "device/cpu/memory_access.hpp"

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {
constexpr int deepest = 8;  // instructions that a step is followed through
}

std::vector<bool> blocks_in_loops(const Graph& graph) {
  std::vector<bool> inside(graph.blocks.size());
  for (BlockIndex b = 0; b < graph.blocks.size(); ++b)
    for (const BlockIndex next : {graph.blocks[b].next, graph.blocks[b].taken})
      if (next <= b) std::fill(inside.begin() + next, inside.begin() + b + 1, true);
  return inside;
}

StepFinder::StepFinder(const ptx::Function& function, const Graph& graph, std::vector<bool> in_loop)
    : function_(function), in_loop_(std::move(in_loop)), definitions_(function.registers.size()) {
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
  if (reg == ptx::none || !in_loop_[block] || !add(reg, 1, 0, step) || step.parts.empty()) return std::nullopt;
  return step;
}

std::optional<Step> StepFinder::of_grid(ptx::Register reg, BlockIndex block) const {
  std::optional<Step> step = of(reg, block);
  const auto is_wide = [&](const Step::Part& part) { return part.reg != ptx::none && grows_with_grid(part.reg, 0); };
  if (step && std::none_of(step->parts.begin(), step->parts.end(), is_wide)) step.reset();
  return step;
}

// Whether the number of blocks is among the factors.
bool StepFinder::grows_with_grid(ptx::Register reg, int depth) const {
  if (depth > 3) return false;
  for (const Instruction& instruction : function_.instructions) {
    const auto operands = function_.operands_of(instruction);
    if (operands.empty() || operands[0].kind != Operand::Kind::reg || operands[0].reg != reg) continue;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      if (operands[i].kind == Operand::Kind::special && operands[i].special == ptx::Special::nctaid_x) return true;
      if (operands[i].kind == Operand::Kind::reg && operands[i].reg != ptx::none && operands[i].reg != reg &&
          grows_with_grid(operands[i].reg, depth + 1))
        return true;
    }
  }
  return false;
}

bool StepFinder::add(ptx::Register reg, std::int64_t factor, int depth, Step& step) const {
  const Definitions& definitions = definitions_[reg];
  if (definitions.loops == 0) return true;  // the same in each turn
  if (definitions.loops > 1 || depth > deepest) return false;
  const Instruction& instruction = function_.instructions[definitions.in_loop];
  if (instruction.guarded()) return false;
  const auto operands = function_.operands_of(instruction);
  auto is_reg = [&](std::size_t i) {
    return operands[i].kind == Operand::Kind::reg && operands[i].reg != ptx::none && operands[i].second == ptx::none;
  };
  auto is_number = [&](std::size_t i) { return operands[i].kind == Operand::Kind::integer; };
  auto number = [&](std::size_t i) { return static_cast<std::int64_t>(operands[i].bits); };
  auto follow = [&](std::size_t i, std::int64_t by) {
    return is_number(i) || (is_reg(i) && add(operands[i].reg, by, depth + 1, step));
  };
  switch (instruction.opcode) {
    case Opcode::add:
      for (const std::size_t self : {1, 2}) {
        if (!is_reg(self) || operands[self].reg != reg) continue;
        return add_same(operands[3 - self], factor, depth, step);
      }
      return definitions.others == 0 && follow(1, factor) && follow(2, factor);
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::cvta: return definitions.others == 0 && follow(1, factor);
    case Opcode::mul: return definitions.others == 0 && is_number(2) && follow(1, factor * number(2));
    case Opcode::shl:
      return definitions.others == 0 && is_number(2) && number(2) < 32 && follow(1, factor << number(2));
    case Opcode::mad:
      return definitions.others == 0 && is_number(2) && follow(1, factor * number(2)) && follow(3, factor);
    default: return false;
  }
}

// A value that is the same in each turn, though it may be computed in each.
bool StepFinder::add_same(const Operand& operand, std::int64_t factor, int depth, Step& step) const {
  if (operand.kind == Operand::Kind::integer)
    return step.parts.push_back({ptx::none, factor * static_cast<std::int32_t>(operand.bits)}), true;
  if (operand.kind != Operand::Kind::reg || operand.reg == ptx::none || operand.second != ptx::none || depth > deepest)
    return false;
  const Definitions& definitions = definitions_[operand.reg];
  if (definitions.loops == 0) return step.parts.push_back({operand.reg, factor}), true;
  if (definitions.loops > 1 || definitions.others > 0) return false;
  const Instruction& instruction = function_.instructions[definitions.in_loop];
  if (instruction.guarded()) return false;
  const auto operands = function_.operands_of(instruction);
  const bool by_number = operands.size() > 2 && operands[2].kind == Operand::Kind::integer;
  switch (instruction.opcode) {
    case Opcode::mov:
    case Opcode::cvt: return add_same(operands[1], factor, depth + 1, step);
    case Opcode::mul:
      return by_number && add_same(operands[1], factor * static_cast<std::int32_t>(operands[2].bits), depth + 1, step);
    case Opcode::shl:
      return by_number && operands[2].bits < 32 && add_same(operands[1], factor << operands[2].bits, depth + 1, step);
    default: return false;
  }
}

namespace {

constexpr std::int64_t line = 64;          // bytes
constexpr std::uint64_t turns_ahead = 32;  // of grid-stride loops: as long as a line takes from memory

// The step in bytes, where all it depends on is uniform.
llvm::Value* distance_of(Emitter& e, const Step& step) {
  auto& b = e.b();
  llvm::Value* distance = b.getInt64(0);
  for (const Step::Part& part : step.parts) {
    llvm::Value* amount = b.getInt64(1);
    if (part.reg != ptx::none) {
      const Held held = e.read_register(part.reg);
      if (!held.uniform() || !held.parts[0]->getType()->isIntegerTy()) return nullptr;
      amount = b.CreateSExtOrTrunc(held.parts[0], b.getInt64Ty());
    }
    distance = b.CreateAdd(distance, b.CreateMul(amount, b.getInt64(static_cast<std::uint64_t>(part.factor))));
  }
  return distance;
}

enum class Into : std::uint32_t { second_level = 2, first_level = 3 };

// The lines that the lanes read which begin at `base`.
void bring(Emitter& e, const MemoryAccess& access, int group, llvm::Value* base, Into cache) {
  auto& b = e.b();
  const Lanes& lanes = e.plan().patterns.lanes(access.address.form.pattern);
  const int width = 32 / access.address.form.groups;
  const std::int64_t first = lanes[static_cast<unsigned>(group * width)],
                     last = lanes[static_cast<unsigned>(group * width + width - 1)];
  if (last < first || last - first > 8 * line) return;
  for (std::int64_t at = first; at <= last; at += line) {
    llvm::Value* pointer =
        b.CreateIntToPtr(b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(at))), b.getPtrTy());
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {pointer, b.getInt32(0), b.getInt32(static_cast<std::uint32_t>(cache)), b.getInt32(1)});
  }
}

}  // namespace

void emit_prefetch(Emitter& e, const MemoryAccess& access) {
  if (!e.converged() || access.space != ptx::Space::global || !access.address.form.is_affine()) return;
  const ptx::Operand* operand = accessed(e.function(), access.instruction);
  if (const std::optional<Step> near = e.step_of(operand->reg)) {
    llvm::Value* distance = distance_of(e, *near);
    for (int group = 0; distance && group < access.address.form.groups; ++group)
      bring(e, access, group, e.b().CreateAdd(e.base_of(access.address, group), distance), Into::first_level);
    return;
  }
  if (access.bytes() < 4) return;  // bytes take longer to use than to fetch
  const std::optional<Step> far = e.grid_step_of(operand->reg);
  if (!far || e.recorded() || access.address.form.groups > 1) return;
  const std::optional<ArrayBounds> array = bounds_of_array(e, access);
  llvm::Value* distance = array ? distance_of(e, *far) : nullptr;
  if (!distance) return;
  auto& b = e.b();
  llvm::Value* base = e.base_of(access.address, 0);
  llvm::Value* next = b.CreateAdd(base, b.CreateMul(distance, b.getInt64(turns_ahead)));
  llvm::Value* inside = b.CreateICmpULT(b.CreateSub(next, array->begin), array->size);  // else the loop ends before
  bring(e, access, 0, b.CreateSelect(inside, next, base), Into::second_level);
}

}  // namespace xcuda::device::cpu
