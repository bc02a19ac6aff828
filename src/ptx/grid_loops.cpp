#include "ptx/grid_loops.hpp"

#include <algorithm>
#include <cstdlib>

namespace xcuda::ptx {
namespace {

constexpr std::int64_t kMostIterations = std::int64_t{1} << 32, kMostStep = 1 << 24;
constexpr std::size_t kMostSums = 16;

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
  for (Index loop = 0; loop < loops_.size(); ++loop)
    for (Register reg = 0; reg < writers_.size(); ++reg)
      if (auto step = step_in(loop, reg)) steps_[reg].push_back(std::move(*step));
}

std::optional<Index> GridLoops::writer_in(Index loop, Register reg) const {
  std::optional<Index> found;
  for (const auto at : writers_[reg]) {
    if (at < loops_[loop].head || at > loops_[loop].latch) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// As compilers unroll a loop: b = a + n, c = b + n, a = c + n.
std::optional<GridLoops::Step> GridLoops::step_in(Index loop, Register reg) const {
  auto at = writer_in(loop, reg);
  if (!at) return std::nullopt;
  Step step{loop, *at, {}};
  while (step.by.size() < kMostSums) {
    const auto& instruction = entry_.instructions[*at];
    const auto operands = entry_.operands_of(instruction);
    if (instruction.opcode != Opcode::add || instruction.guarded() || is_floating(instruction.type()) ||
        operands.size() != 3 || instruction.has_any({Modifier::sat, Modifier::cc}))
      return std::nullopt;
    const auto is_simple = [](const Operand& operand) {
      return operand.kind == Operand::Kind::reg && operand.count == 0;
    };
    const auto is_self = [&](const Operand& operand) { return is_simple(operand) && operand.reg == reg; };
    if (is_self(operands[1]) != is_self(operands[2])) {
      step.by.push_back(is_self(operands[1]) ? operands[2] : operands[1]);
      return step;
    }
    // One of the two was made in this iteration, and before.
    const auto earlier = [&](const Operand& operand) {
      const auto writer = is_simple(operand) ? writer_in(loop, operand.reg) : std::nullopt;
      return writer && *writer < *at && writers_[operand.reg].size() == 1 ? writer : std::nullopt;
    };
    const auto first = earlier(operands[1]), second = earlier(operands[2]);
    if (first.has_value() == second.has_value()) return std::nullopt;
    step.by.push_back(first ? operands[2] : operands[1]);
    at = first ? first : second;
  }
  return std::nullopt;
}

std::optional<std::int64_t> GridLoops::length(const Step& step, const Read& read) const {
  std::int64_t sum = 0;
  for (const auto& operand : step.by) {
    const auto by = read.number(operand);
    if (!by.is_number() || std::abs(by.form.constant) > kMostStep) return std::nullopt;
    sum += by.form.constant;
  }
  return sum;
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
  const auto& counters = steps_of(operands[1].reg);
  if (counters.size() != 1 || counters.front().loop != loop) return std::nullopt;
  const auto& counter = counters.front();
  const auto by = length(counter, read);
  if (!by || *by == 0) return std::nullopt;
  const auto first = values.as(read.base(operands[1].reg), type);
  const auto bound = values.as(read.number(operands[2]), type);
  const auto from = first.is_form() ? values.range_of(first.form) : std::nullopt;
  if (!from || !bound.is_number()) return std::nullopt;
  // How many steps it takes the thread that is the farthest away until the comparison ends the loop.
  const auto farthest = *by > 0 ? from->first : from->second;
  const Wide distance = Wide{bound.form.constant} - farthest, step = *by;
  const Wide length = step < 0 ? -step : step;
  const auto steps_to = [&](Wide way) { return way <= 0 ? Wide{0} : (way + length - 1) / length; };
  const bool after = writers.front() > counter.at;  // it compares what the step has made
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
  if (unequal && !first.is_number()) return std::nullopt;
  if (steps < 0 || (unequal && after && steps == 0)) return std::nullopt;  // it goes round all numbers
  const Wide times = after ? std::max<Wide>(steps, 1) : steps + 1;
  const Wide last = (step > 0 ? from->second : from->first) + times * step;
  constexpr Wide kFarthest = Wide{1} << 31;
  if (times > kMostIterations || (bits_of(type) == 32 && (last < -kFarthest || last >= kFarthest))) return std::nullopt;
  return static_cast<std::int64_t>(times);
}

std::pair<std::int64_t, std::int64_t> GridLoops::added(const Step& step, std::int64_t length, std::int64_t iterations,
                                                       Index reader) const {
  const Index latch = loops_[step.loop].latch;
  std::int64_t fewest = 0, most = iterations;
  if (reader <= latch) {
    if (reader <= step.at)
      most = iterations - 1;
    else
      fewest = 1;
  }
  const auto a = fewest * length, b = most * length;
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace xcuda::ptx
