#include "ptx/grid_accesses.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "ptx/grid_bounds.hpp"
#include "ptx/grid_loops.hpp"
#include "ptx/grid_values.hpp"

namespace xcuda::ptx {
namespace {

constexpr int kMostWalks = 24;  // over all instructions; what still changes then is not known

bool is_whole_number(Type type) { return !is_floating(type) && bits_of(type) >= 16 && bits_of(type) <= 64; }

class Walk {
 public:
  Walk(const Module& module, const Function& entry, std::span<const std::byte> arguments, const Extents& grid,
       const Extents& block)
      : module_(module),
        entry_(entry),
        arguments_(arguments),
        values_(grid, block),
        loops_(entry),
        registers_(entry.registers.size()),
        bases_(entry.registers.size()) {}

  GridAccesses find() {
    for (const auto& instruction : entry_.instructions)
      if (const auto why = obstacle(instruction); !why.empty()) return {{}, why};
    bool changed = true;
    for (walks_ = 0; changed; ++walks_) {
      changed = false;
      for (at_ = 0; at_ < entry_.instructions.size(); ++at_) changed |= evaluate(entry_.instructions[at_]);
    }
    const GridBounds bounds(entry_, values_, [this](Register reg, Index at) { return read(reg, at); });
    GridAccesses found;
    for (at_ = 0; at_ < entry_.instructions.size(); ++at_) add(found, at_, bounds);
    for (const auto& access : found.accesses)
      if (access.of_variable && access.writes) return {{}, "it changes a variable of device code"};
    return found;
  }

 private:
  // --- What forbids it ---

  std::string obstacle(const Instruction& instruction) const {
    if (instruction.opcode == Opcode::unknown) return "it has instructions that are not known";
    if (instruction.is(Trait::calls)) {
      const auto& callee = entry_.calls[instruction.call].callee;
      const auto name = callee.kind == Operand::Kind::symbol ? module_.functions[callee.index].name : std::string();
      if (name == "vprintf") return {};
      if (name == "__assertfail") return "it has an assert(), whose message tells the block";
      return "it calls functions";
    }
    if (instruction.is(Trait::image) || instruction.is(Trait::surface)) return "it uses textures";
    if (instruction.is(Trait::fence) && !instruction.has(Modifier::cta)) return "it has fences between blocks";
    const bool global = instruction.space == Space::global || instruction.space == Space::generic;
    if (instruction.is(Trait::atomic) && global) return "it uses atomics";
    if (instruction.is(Trait::accesses) && global && instruction.synchronises())
      return "it has volatile or ordered accesses";
    if (instruction.family() == Family::none || instruction.opcode == Opcode::alloca ||
        instruction.opcode == Opcode::discard || instruction.opcode == Opcode::griddepcontrol ||
        instruction.has_any({Modifier::cluster, Modifier::bulk}))
      return "it has instructions that work across blocks";
    for (const auto& operand : entry_.operands_of(instruction))
      if (operand.kind == Operand::Kind::special && !is_of_block(operand.special))
        return "it reads where its grid runs";
    return {};
  }

  static bool is_of_block(Special special) {
    return special <= Special::nctaid_z || special == Special::laneid || special == Special::warpid ||
           special == Special::nwarpid || special == Special::smid || special == Special::nsmid ||
           (special >= Special::lanemask_eq && special <= Special::globaltimer_hi) || special == Special::clock64 ||
           special == Special::globaltimer || special == Special::dynamic_smem_size ||
           special == Special::total_smem_size;
  }

  // --- Values ---

  static std::uint64_t bit(Index parameter) {
    return std::uint64_t{1} << std::min(parameter, GridAccess::kMostParameters);
  }

  std::uint64_t from_symbol(const Operand& operand) const {
    switch (operand.symbol_kind) {
      case SymbolKind::variable:
        return module_.variables[operand.index].space == Space::shared ? kFromOwn : kFromVariable;
      case SymbolKind::local: return kFromOwn;
      case SymbolKind::parameter: return bit(operand.index) | kFromOwn;
      case SymbolKind::none: return 0;
      default: return kFromVariable;
    }
  }

  // What a register holds when an instruction reads it.
  GridValue read(Register reg, Index at) const {
    const auto& steps = loops_.steps_of(reg);
    auto value = bases_[reg];
    if (steps.empty() || value.kind != GridValue::Kind::exact) return registers_[reg];
    value.from |= registers_[reg].from;
    const GridLoops::Read known{
        [this](Register counter) { return bases_[counter]; },
        [this](const Operand& operand) {
          if (operand.kind == Operand::Kind::integer) return GridValues::number(operand.integer());
          if (operand.kind != Operand::Kind::reg || operand.count != 0 || !loops_.steps_of(operand.reg).empty())
            return GridValues::anything(0);
          return registers_[operand.reg];
        }};
    for (const auto& step : steps) {
      if (loops_.is_before(step, at)) continue;
      const auto length = loops_.length(step, known);
      const auto iterations = length ? loops_.iterations(step.loop, values_, known) : std::nullopt;
      if (!iterations) return registers_[reg];
      auto added = GridValues::number(0);
      std::tie(added.low, added.high) = loops_.added(step, *length, *iterations, at);
      added.grain = std::abs(*length);
      value = GridValues::sum(value, added);
    }
    return value;
  }

  GridValue value_of(const Operand& operand, Type type) const {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return operand.count != 0 ? GridValues::anything(registers_[operand.reg].from) : read(operand.reg, at_);
      case Operand::Kind::special: return values_.special(operand.special);
      case Operand::Kind::integer: return GridValues::number(operand.integer());
      case Operand::Kind::symbol: return GridValues::anything(from_symbol(operand));
      case Operand::Kind::vector: {
        std::uint64_t from = 0;
        for (const auto& element : entry_.elements_of(operand)) from |= value_of(element, type).from;
        return GridValues::anything(from);
      }
      default: return GridValues::anything(operand.reg != kNoIndex ? registers_[operand.reg].from : 0);
    }
  }

  GridValue read_as(const Operand& operand, Type type) const { return values_.as(value_of(operand, type), type); }

  // Of a parameter, which is a number of this launch.
  GridValue argument(const Operand& address, Type type, std::uint64_t offset) const {
    const auto& parameter = entry_.parameters[address.index];
    const auto at = parameter.offset + static_cast<std::uint64_t>(address.offset) + offset;
    const auto bytes = static_cast<std::size_t>(bytes_of(type));
    auto value = GridValues::anything(bit(address.index));
    if (!is_whole_number(type) || at + bytes > arguments_.size()) return value;
    std::int64_t number = 0;
    std::memcpy(&number, arguments_.data() + at, bytes);  // the lowest bytes come first
    value.kind = GridValue::Kind::exact;
    value.form.constant = number;
    return bits_of(type) == 64 ? value : values_.as(value, bits_of(type) == 32 ? Type::s32 : Type::s16);
  }

  bool give(Register reg, const GridValue& value) {
    if (reg == kNoIndex) return false;
    const auto& steps = loops_.steps_of(reg);
    if (std::none_of(steps.begin(), steps.end(), [this](const auto& step) { return step.at == at_; }))
      bases_[reg] = GridValues::join(bases_[reg], value);
    auto joined = GridValues::join(registers_[reg], value);
    joined.from |= registers_[reg].from | value.from;
    if (joined == registers_[reg]) return false;
    if (walks_ >= kMostWalks) joined = GridValues::anything(joined.from);
    if (joined == registers_[reg]) return false;
    registers_[reg] = joined;
    return true;
  }

  bool evaluate(const Instruction& instruction) {
    const auto operands = entry_.operands_of(instruction);
    if (instruction.outputs == 0 || operands.empty()) return false;
    const auto& output = operands.front();
    if (instruction.opcode == Opcode::ld && instruction.space == Space::param && operands.size() > 1 &&
        operands[1].symbol_kind == SymbolKind::parameter && operands[1].kind == Operand::Kind::address &&
        operands[1].reg == kNoIndex) {
      const auto type = instruction.type();
      if (output.kind == Operand::Kind::reg) return give(output.reg, argument(operands[1], type, 0));
      bool changed = false;
      std::uint64_t offset = 0;
      if (output.kind == Operand::Kind::vector)
        for (const auto& element : entry_.elements_of(output)) {
          changed |= give(element.reg, argument(operands[1], type, offset));
          offset += static_cast<std::uint64_t>(bytes_of(type));
        }
      return changed;
    }
    const bool simple = instruction.outputs == 1 && output.kind == Operand::Kind::reg && output.second == kNoIndex;
    if (simple) return give(output.reg, result_of(instruction, operands.subspan(1)));
    const auto rest = anything_of(instruction, operands.subspan(instruction.outputs));
    bool changed = false;
    for (std::size_t i = 0; i < instruction.outputs && i < operands.size(); ++i) {
      changed |= give(operands[i].reg, rest);
      changed |= give(operands[i].second, rest);
      if (operands[i].kind == Operand::Kind::vector)
        for (const auto& element : entry_.elements_of(operands[i])) changed |= give(element.reg, rest);
    }
    return changed;
  }

  // What comes from memory comes from no parameter.
  GridValue anything_of(const Instruction& instruction, std::span<const Operand> inputs) const {
    std::uint64_t from = 0;
    if (!instruction.is(Trait::accesses))
      for (const auto& input : inputs) from |= value_of(input, instruction.type()).from;
    return GridValues::anything(from);
  }

  GridValue result_of(const Instruction& instruction, std::span<const Operand> in) const {
    const auto rest = anything_of(instruction, in);
    const auto type = instruction.type();
    if (!is_whole_number(type) || instruction.has_any({Modifier::sat, Modifier::hi, Modifier::cc})) return rest;
    const auto operand = [&](std::size_t i) { return value_of(in[i], type); };
    const bool wide = instruction.has(Modifier::wide);
    const auto factor = [&](std::size_t i) { return wide ? read_as(in[i], type) : operand(i); };
    switch (instruction.meaning()) {
      case Meaning::copy:
      case Meaning::address: return operand(0);
      case Meaning::conversion: return converted(instruction, in[0], rest);
      case Meaning::sum: return GridValues::sum(operand(0), operand(1));
      case Meaning::difference: return GridValues::sum(operand(0), GridValues::negated(operand(1)));
      case Meaning::negation: return GridValues::negated(operand(0));
      case Meaning::product: return GridValues::product(factor(0), factor(1));
      case Meaning::product_sum: return GridValues::sum(GridValues::product(factor(0), factor(1)), operand(2));
      case Meaning::shift_left: {
        const auto by = operand(1);
        if (!by.is_number() || by.form.constant < 0 || by.form.constant >= std::min(bits_of(type), 62)) return rest;
        return GridValues::product(operand(0), GridValues::number(std::int64_t{1} << by.form.constant));
      }
      case Meaning::bit_or: return GridValues::with_bits(operand(0), operand(1));
      case Meaning::choice: return GridValues::join(operand(0), operand(1));
      default: break;
    }
    if (instruction.opcode == Opcode::not_)  // -x - 1
      return GridValues::sum(GridValues::negated(operand(0)), GridValues::number(-1));
    // Of two numbers it is one.
    if (in.size() != 2) return rest;
    const auto a = read_as(in[0], type), b = read_as(in[1], type);
    if (!a.is_number() || !b.is_number() || bits_of(type) > 32) return rest;
    const auto x = a.form.constant, y = b.form.constant;
    std::optional<std::int64_t> result;
    switch (instruction.opcode) {
      case Opcode::shr:
        if (y >= 0 && y < bits_of(type)) result = x >> y;
        break;
      case Opcode::div:
        if (y != 0) result = x / y;
        break;
      case Opcode::rem:
        if (y != 0) result = x % y;
        break;
      case Opcode::and_: result = x & y; break;
      case Opcode::min: result = std::min(x, y); break;
      case Opcode::max: result = std::max(x, y); break;
      default: break;
    }
    if (!result) return rest;
    auto number = GridValues::number(*result);
    number.from = rest.from;
    return number;
  }

  GridValue converted(const Instruction& instruction, const Operand& in, const GridValue& rest) const {
    if (instruction.type_count < 2 || !is_whole_number(instruction.types[1])) return rest;
    const auto to = instruction.types[0], from = instruction.types[1];
    return bits_of(to) > bits_of(from) ? read_as(in, from) : value_of(in, from);
  }

  // --- Accesses ---

  void add(GridAccesses& found, Index number, const GridBounds& bounds) const {
    const auto& instruction = entry_.instructions[number];
    const bool simple = instruction.is(Trait::accesses);
    if (simple && instruction.space != Space::global && instruction.space != Space::generic &&
        instruction.space != Space::constant)
      return;
    const bool other = instruction.is(Trait::fetches) || instruction.family() == Family::matrix;
    if (!simple && !other) return;
    std::size_t addresses = 0;
    for (const auto& operand : entry_.operands_of(instruction)) {
      if (operand.kind != Operand::Kind::address) continue;
      const bool target = addresses++ == 0;  // of a copy, whose source follows
      const bool copies = instruction.is(Trait::copies);
      GridAccess access;
      access.reads = copies ? !target : !simple || instruction.is(Trait::reads);
      access.writes = copies ? target : !simple || instruction.is(Trait::writes);
      access.bytes = static_cast<std::uint32_t>(bytes_of(instruction.type()) * std::max<int>(instruction.vector, 1));
      auto value = operand.reg != kNoIndex ? read(operand.reg, at_) : GridValues::anything(from_symbol(operand));
      value = GridValues::sum(value, GridValues::number(operand.symbol_kind == SymbolKind::none ? operand.offset : 0));
      access.parameters = value.from & ((std::uint64_t{2} << GridAccess::kMostParameters) - 1);
      access.of_variable = (value.from & kFromVariable) != 0 || instruction.space == Space::constant;
      access.of_own = (value.from & kFromOwn) != 0;
      if (access.of_own && !access.of_variable && access.parameters == 0) continue;
      if (simple && value.has_form() && !access.of_variable && !access.of_own) {
        access.known = value.kind == GridValue::Kind::exact ? GridAccess::Known::exactly : GridAccess::Known::started;
        access.at = value.form;
        access.low = value.low;
        access.high = value.high;
        access.step = value.step;
        access.grain = value.grain;
      }
      access.bounds = bounds.around(number);
      found.accesses.push_back(std::move(access));
    }
  }

  const Module& module_;
  const Function& entry_;
  std::span<const std::byte> arguments_;
  GridValues values_;
  GridLoops loops_;
  std::vector<GridValue> registers_, bases_;  // bases: without the steps of loops
  int walks_ = 0;
  Index at_ = 0;  // the instruction that is looked at
};

// --- Reach ---

struct Interval {
  Wide least = 0, most = 0;
  void meet(const Interval& other) {
    least = std::max(least, other.least);
    most = std::min(most, other.most);
  }
};

// access = factor * bound along the axes that the bound is about, if that is so.
std::optional<std::int64_t> factor_of(const GridForm& access, const GridForm& bound) {
  std::optional<std::int64_t> factor;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const auto& [a, b] :
         {std::pair(access.block[axis], bound.block[axis]), std::pair(access.thread[axis], bound.thread[axis])}) {
      if (b == 0) {
        if (a != 0 && (bound.block[axis] != 0 || bound.thread[axis] != 0)) return std::nullopt;
        continue;
      }
      if (a % b != 0 || (factor && *factor != a / b)) return std::nullopt;
      factor = a / b;
    }
  return factor;
}

}  // namespace

GridAccesses grid_accesses(const Module& module, const Function& entry, std::span<const std::byte> arguments,
                           const Extents& grid, const Extents& block) {
  return Walk(module, entry, arguments, grid, block).find();
}

GridAccess within_rows(GridAccess access, std::int64_t row) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (auto* coefficient : {&access.at.block[axis], &access.at.thread[axis]})
      if (*coefficient % row == 0) *coefficient = 0;
  if (access.grain % row == 0) access.low = access.high = access.grain = 0;
  return access;
}

std::optional<std::pair<std::int64_t, std::int64_t>> columns_of(const GridAccess& access, const BlockRange& blocks,
                                                                const Extents& block, const Rows& rows) {
  const auto reach = reach_of(within_rows(access, rows.bytes), blocks, block);
  if (!reach) return std::nullopt;
  auto first = (reach->first - rows.begin) % rows.bytes;
  if (first < 0) first += rows.bytes;
  const auto end = first + (reach->second - reach->first);
  return end <= rows.bytes ? std::optional(std::pair(first, end)) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> reach_of(const GridAccess& access, const BlockRange& blocks,
                                                              const Extents& block) {
  std::array<Interval, 3> axes{};
  const auto along = [&](const GridForm& form, std::size_t axis) {
    Interval interval;
    const auto add = [&](std::int64_t coefficient, std::uint32_t first, std::uint32_t end) {
      const Wide a = Wide{coefficient} * first, b = Wide{coefficient} * (Wide{end} - 1);
      interval.least += std::min(a, b);
      interval.most += std::max(a, b);
    };
    add(form.block[axis], blocks.first[axis], blocks.end[axis]);
    add(form.thread[axis], 0, block[axis]);
    return interval;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) axes[axis] = along(access.at, axis);
  const auto total = [&](const std::array<bool, 3>& without) {
    Interval sum{Wide{access.at.constant} + access.low, Wide{access.at.constant} + access.high};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (without[axis]) continue;
      sum.least += axes[axis].least;
      sum.most += axes[axis].most;
    }
    return sum;
  };
  std::optional<Interval> whole;
  for (const bool single : {true, false}) {  // first what narrows one axis
    for (const auto& bound : access.bounds) {
      std::array<bool, 3> about{};
      Interval all;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        about[axis] = bound.form.block[axis] != 0 || bound.form.thread[axis] != 0;
        const auto one = along(bound.form, axis);
        all.least += one.least;
        all.most += one.most;
      }
      if (all.most < bound.least || all.least > bound.most) return std::nullopt;  // none of these blocks gets there
      const auto count = std::count(about.begin(), about.end(), true);
      const auto factor = factor_of(access.at, bound.form);
      if ((count == 1) != single || !factor || *factor == 0) continue;
      const Wide a = Wide{*factor} * bound.least, b = Wide{*factor} * bound.most;
      Interval limits{std::min(a, b), std::max(a, b)};
      if (single) {
        axes[static_cast<std::size_t>(std::find(about.begin(), about.end(), true) - about.begin())].meet(limits);
        continue;
      }
      const auto rest = total(about);
      limits.least += rest.least;
      limits.most += rest.most;
      whole ? whole->meet(limits) : void(whole = limits);
    }
  }
  auto result = total({});
  if (whole) result.meet(*whole);
  if (result.least > result.most) return std::nullopt;
  constexpr Wide kMost = INT64_MAX / 2;
  result.meet({-kMost, kMost});
  return std::pair(static_cast<std::int64_t>(result.least),
                   static_cast<std::int64_t>(result.most) + std::int64_t{access.bytes});
}

}  // namespace xcuda::ptx
