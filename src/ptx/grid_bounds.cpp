#include "ptx/grid_bounds.hpp"

#include <algorithm>
#include <utility>

namespace xcuda::ptx {
namespace {

constexpr int kMostNested = 8;
constexpr std::int64_t kFar = INT64_MAX / 4;

enum class Comparison : std::uint8_t { none, equal, unequal, less, at_most, greater, at_least };

Comparison comparison_of(const Operation& operation) {
  switch (operation.find(Category::comparison)) {
    case Modifier::eq: return Comparison::equal;
    case Modifier::ne: return Comparison::unequal;
    case Modifier::lt:
    case Modifier::lo: return Comparison::less;
    case Modifier::le:
    case Modifier::ls: return Comparison::at_most;
    case Modifier::gt:
    case Modifier::hi: return Comparison::greater;
    case Modifier::ge:
    case Modifier::hs: return Comparison::at_least;
    default: return Comparison::none;
  }
}

Comparison opposite(Comparison one) {
  switch (one) {
    case Comparison::equal: return Comparison::unequal;
    case Comparison::unequal: return Comparison::equal;
    case Comparison::less: return Comparison::at_least;
    case Comparison::at_most: return Comparison::greater;
    case Comparison::greater: return Comparison::at_most;
    case Comparison::at_least: return Comparison::less;
    default: return Comparison::none;
  }
}

bool holds(Comparison one, std::int64_t difference) {
  switch (one) {
    case Comparison::equal: return difference == 0;
    case Comparison::unequal: return difference != 0;
    case Comparison::less: return difference < 0;
    case Comparison::at_most: return difference <= 0;
    case Comparison::greater: return difference > 0;
    case Comparison::at_least: return difference >= 0;
    default: return true;
  }
}

}  // namespace

GridBounds::GridBounds(const Function& entry, const GridValues& values, Read read)
    : entry_(entry), values_(values), read_(std::move(read)), definitions_(entry.registers.size(), kNoIndex) {
  std::vector<int> count(entry.registers.size());
  for (Index i = 0; i < entry.instructions.size(); ++i) {
    const auto& instruction = entry.instructions[i];
    const auto operands = entry.operands_of(instruction);
    const auto note = [&](Register reg) {
      if (reg == kNoIndex) return;
      definitions_[reg] = ++count[reg] == 1 && !instruction.guarded() ? i : kNoIndex;
    };
    for (std::size_t at = 0; at < instruction.outputs && at < operands.size(); ++at) {
      note(operands[at].reg);
      note(operands[at].second);
      if (operands[at].kind == Operand::Kind::vector)
        for (const auto& element : entry.elements_of(operands[at])) note(element.reg);
    }
  }
  find_skips();
}

void GridBounds::find_skips() {
  if (!entry_.target_lists.empty()) return;
  struct Jump {
    Index from = 0, to = 0;
  };
  std::vector<Jump> jumps;
  for (Index i = 0; i < entry_.instructions.size(); ++i) {
    const auto& instruction = entry_.instructions[i];
    if (instruction.is(Trait::leaves)) jumps.push_back({i, static_cast<Index>(entry_.instructions.size())});
    if (!instruction.is(Trait::branches)) continue;
    for (const auto& operand : entry_.operands_of(instruction))
      if (operand.kind == Operand::Kind::label) jumps.push_back({i, entry_.labels[operand.index].instruction});
  }
  for (const auto& jump : jumps) {
    if (!entry_.instructions[jump.from].guarded() || jump.to <= jump.from) continue;
    const auto inside = [&](Index at) { return at > jump.from && at < jump.to; };
    if (std::none_of(jumps.begin(), jumps.end(),
                     [&](const Jump& other) { return inside(other.to) && !inside(other.from); }))
      skips_.push_back({jump.from, jump.to});
  }
}

std::vector<GridBound> GridBounds::around(Index instruction) const {
  std::vector<GridBound> bounds;
  const auto holds = [&](const Instruction& guarded, Truth of_guard) {
    const bool yes = (of_guard == Truth::yes) != guarded.guard_negated;
    add(guarded.guard, yes ? Truth::yes : Truth::no, bounds, 0);
  };
  const auto& itself = entry_.instructions[instruction];
  if (itself.guarded()) holds(itself, Truth::yes);
  for (const auto& skip : skips_)
    if (skip.branch < instruction && instruction < skip.end) holds(entry_.instructions[skip.branch], Truth::no);
  return bounds;
}

GridValue GridBounds::value_of(const Operand& operand, Type type, Index at) const {
  switch (operand.kind) {
    case Operand::Kind::reg:
      return operand.count != 0 ? GridValues::anything(0) : values_.as(read_(operand.reg, at), type);
    case Operand::Kind::special: return values_.special(operand.special);
    case Operand::Kind::integer: return values_.as(GridValues::number(operand.integer()), type);
    default: return GridValues::anything(0);
  }
}

void GridBounds::add(Register predicate, Truth truth, std::vector<GridBound>& bounds, int depth) const {
  if (definitions_[predicate] == kNoIndex || depth > kMostNested) return;
  const auto& instruction = entry_.instructions[definitions_[predicate]];
  const auto operands = entry_.operands_of(instruction);
  const auto both = [&](Truth of_each) {
    for (std::size_t i = 1; i < operands.size(); ++i)
      if (operands[i].kind == Operand::Kind::reg) add(operands[i].reg, of_each, bounds, depth + 1);
  };
  switch (instruction.opcode) {
    case Opcode::setp:
      if (operands.size() == 3 && operands[0].second == kNoIndex) compare(definitions_[predicate], truth, bounds);
      break;
    case Opcode::or_:
      if (truth == Truth::no) both(Truth::no);
      break;
    case Opcode::and_:
      if (truth == Truth::yes) both(Truth::yes);
      break;
    case Opcode::not_: both(truth == Truth::yes ? Truth::no : Truth::yes); break;
    default: break;
  }
}

// Forms are the same all the time that a thread runs, so that what was compared before still holds.
void GridBounds::compare(Index at, Truth truth, std::vector<GridBound>& bounds) const {
  const auto& comparison = entry_.instructions[at];
  const auto type = comparison.type();
  if (is_floating(type) || bits_of(type) < 16) return;
  const auto operands = entry_.operands_of(comparison);
  auto what = comparison_of(comparison);
  if (truth == Truth::no) what = opposite(what);
  if (what == Comparison::none) return;
  auto a = value_of(operands[1], type, at);
  const auto b = value_of(operands[2], type, at);
  // As C++ compilers write 0 <= x && x < n: x as an unsigned number is less than n.
  const bool from_zero = is_unsigned(type) && bits_of(type) == 32 && a.kind == GridValue::Kind::started &&
                         b.is_number() && b.form.constant <= INT32_MAX &&
                         (what == Comparison::less || what == Comparison::at_most) &&
                         operands[1].kind == Operand::Kind::reg;
  if (from_zero) a = values_.as(read_(operands[1].reg, at), Type::s32);
  if (!a.is_form() || !b.is_form()) return;
  if (from_zero) {
    auto above = a.form;
    above.constant = 0;
    bounds.push_back({above, -a.form.constant, kFar});
  }
  const auto difference = GridValues::sum(a, GridValues::negated(b));
  if (!difference.is_form()) return;
  if (difference.is_number()) {
    if (!holds(what, difference.form.constant)) bounds.push_back({{}, 1, 1});  // no thread gets there
    return;
  }
  if (what == Comparison::unequal) return;
  auto form = difference.form;
  const auto zero = -form.constant;  // the form without its constant is that where a equals b
  form.constant = 0;
  switch (what) {
    case Comparison::equal: return bounds.push_back({form, zero, zero});
    case Comparison::less: return bounds.push_back({form, -kFar, zero - 1});
    case Comparison::at_most: return bounds.push_back({form, -kFar, zero});
    case Comparison::greater: return bounds.push_back({form, zero + 1, kFar});
    default: return bounds.push_back({form, zero, kFar});
  }
}

}  // namespace xcuda::ptx
