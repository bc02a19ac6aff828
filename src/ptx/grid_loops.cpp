#include "ptx/grid_loops.hpp"

#include <algorithm>
#include <cstdlib>

namespace xcuda::ptx {
namespace {

constexpr std::int64_t kMostIterations = std::int64_t{1} << 32, kMostStep = 1 << 24;

}  // namespace

GridLoops::GridLoops(const Function& entry)
    : entry_(entry), writers_(entry.registers.size()), steps_(entry.registers.size()) {
  for (Index i = 0; i < entry.instructions.size(); ++i) {
    const auto& instruction = entry.instructions[i];
    const auto operands = entry.operands_of(instruction);
    const auto note = [&](Register reg) {
      if (reg != kNoIndex) writers_[reg].push_back(i);
    };
    for (std::size_t at = 0; at < instruction.outputs && at < operands.size(); ++at) {
      note(operands[at].reg);
      note(operands[at].second);
      if (operands[at].kind == Operand::Kind::vector)
        for (const auto& element : entry.elements_of(operands[at])) note(element.reg);
    }
  }
  find_loops();
  find_steps();
}

// Those without branches to places in them, which are in no other loop.
void GridLoops::find_loops() {
  if (!entry_.target_lists.empty()) return;
  struct Jump {
    Index from = 0, to = 0;
  };
  std::vector<Jump> jumps;
  for (Index i = 0; i < entry_.instructions.size(); ++i)
    if (entry_.instructions[i].is(Trait::branches))
      for (const auto& operand : entry_.operands_of(entry_.instructions[i]))
        if (operand.kind == Operand::Kind::label) jumps.push_back({i, entry_.labels[operand.index].instruction});
  for (const auto& back : jumps) {
    if (back.to > back.from || !entry_.instructions[back.from].guarded()) continue;
    const bool simple = std::all_of(jumps.begin(), jumps.end(), [&](const Jump& other) {
      if (other.from == back.from) return true;
      const bool enters = other.to > back.to && other.to <= back.from;
      const bool repeats = other.to == back.to && other.from > back.to;
      const bool surrounds = other.to <= back.to && other.from > back.from;
      return !enters && !repeats && !surrounds;
    });
    if (simple) loops_.push_back({back.to, back.from});
  }
}

void GridLoops::find_steps() {
  for (Index loop = 0; loop < loops_.size(); ++loop) {
    const auto [head, latch] = loops_[loop];
    for (Register reg = 0; reg < writers_.size(); ++reg) {
      std::vector<Index> inside;
      for (const auto at : writers_[reg])
        if (at >= head && at <= latch) inside.push_back(at);
      if (inside.size() != 1) continue;
      const auto& instruction = entry_.instructions[inside.front()];
      const auto operands = entry_.operands_of(instruction);
      const auto type = instruction.type();
      if (instruction.opcode != Opcode::add || instruction.guarded() || is_floating(type) || operands.size() != 3 ||
          instruction.has_any({Modifier::sat, Modifier::cc}))
        continue;
      const auto& by = operands[2].kind == Operand::Kind::integer ? operands[2] : operands[1];
      const auto& self = &by == &operands[2] ? operands[1] : operands[2];
      if (by.kind != Operand::Kind::integer || std::abs(by.integer()) > kMostStep || self.kind != Operand::Kind::reg ||
          self.reg != reg || self.count != 0)
        continue;
      // A register that two loops step belongs to neither.
      if (steps_[reg])
        steps_[reg]->loop = kNoIndex;
      else
        steps_[reg] = Step{loop, inside.front(), by.integer()};
    }
  }
  for (auto& step : steps_)
    if (step && step->loop == kNoIndex) step.reset();
}

std::optional<std::int64_t> GridLoops::iterations(Index loop, const GridValues& values, const Read& read) const {
  const auto [head, latch] = loops_[loop];
  const auto& branch = entry_.instructions[latch];
  const auto& writers = writers_[branch.guard];
  if (writers.size() != 1 || writers.front() < head || writers.front() > latch) return std::nullopt;
  const auto& comparison = entry_.instructions[writers.front()];
  const auto operands = entry_.operands_of(comparison);
  const auto type = comparison.type();
  if (comparison.opcode != Opcode::setp || comparison.guarded() || operands.size() != 3 ||
      operands[0].second != kNoIndex || is_floating(type) || bits_of(type) < 32 ||
      operands[1].kind != Operand::Kind::reg || operands[1].count != 0)
    return std::nullopt;
  const auto* counter = step_of(operands[1].reg);
  if (counter == nullptr || counter->loop != loop || counter->step == 0) return std::nullopt;
  const auto first = values.as(read.base(operands[1].reg), type);
  const auto bound = values.as(read.number(operands[2]), type);
  if (!first.is_number() || !bound.is_number()) return std::nullopt;
  // How many steps it takes until the comparison ends the loop.
  const Wide distance = Wide{bound.form.constant} - first.form.constant, step = counter->step;
  const Wide length = step < 0 ? -step : step;
  const auto steps_to = [&](Wide way) { return way <= 0 ? Wide{0} : (way + length - 1) / length; };
  const bool after = writers.front() > counter->at;  // it compares what the step has made
  Wide steps = -1;
  const auto word = comparison.find(Category::comparison);
  const bool negated = branch.guard_negated;
  if ((word == Modifier::ne && !negated) || (word == Modifier::eq && negated)) {
    if (distance % step == 0) steps = distance / step;
  } else if (!negated && step > 0 && (word == Modifier::lt || word == Modifier::lo)) {
    steps = steps_to(distance);
  } else if (!negated && step > 0 && (word == Modifier::le || word == Modifier::ls)) {
    steps = steps_to(distance + 1);
  } else if (!negated && step < 0 && (word == Modifier::gt || word == Modifier::hi)) {
    steps = steps_to(-distance);
  } else if (!negated && step < 0 && (word == Modifier::ge || word == Modifier::hs)) {
    steps = steps_to(1 - distance);
  }
  const bool unequal = word == Modifier::ne || word == Modifier::eq;
  if (steps < 0 || (unequal && after && steps == 0)) return std::nullopt;  // it goes round all numbers
  const Wide times = after ? std::max<Wide>(steps, 1) : steps + 1;
  const Wide last = first.form.constant + times * step;
  constexpr Wide kFarthest = Wide{1} << 31;
  if (times > kMostIterations || (bits_of(type) == 32 && (last < -kFarthest || last >= kFarthest))) return std::nullopt;
  return static_cast<std::int64_t>(times);
}

std::pair<std::int64_t, std::int64_t> GridLoops::added(const Step& step, std::int64_t iterations, Index reader) const {
  const Index latch = loops_[step.loop].latch;
  std::int64_t fewest = 0, most = iterations;
  if (reader <= latch) {
    if (reader <= step.at)
      most = iterations - 1;
    else
      fewest = 1;
  }
  const auto a = fewest * step.step, b = most * step.step;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace xcuda::ptx
