#include "device/cpu/plan/register_form.hpp"

#include <algorithm>
#include <bit>

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Meaning;
using ptx::Modifier;
using ptx::Operand;
using ptx::Special;

namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 24;
constexpr std::uint8_t kAllBits = 63;  // alignment of zero

std::uint8_t alignment_of(std::int64_t value) {
  return value ? static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(value))) : kAllBits;
}

std::uint8_t alignment_sum(int a, int b) { return static_cast<std::uint8_t>(std::min(a + b, int{kAllBits})); }

std::optional<std::int64_t> constant_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::integer) return operand.integer();
  return std::nullopt;
}

bool is_integer(ptx::Type type) { return !ptx::is_floating(type) && type != ptx::Type::pred; }

template <class Make> Lanes lanes_of(Make make) {
  Lanes lanes;
  for (int lane = 0; lane < 32; ++lane) lanes[lane] = make(lane);
  return lanes;
}

}  // namespace

std::int64_t PatternTable::least(Pattern pattern) const {
  return *std::min_element(all_[pattern].begin(), all_[pattern].end());
}
std::int64_t PatternTable::greatest(Pattern pattern) const {
  return *std::max_element(all_[pattern].begin(), all_[pattern].end());
}

std::optional<Pattern> PatternTable::find(const Lanes& lanes) {
  if (auto found = index_.find(lanes); found != index_.end()) return found->second;
  for (std::int64_t lane : lanes)
    if (lane > kFarthest || lane < -kFarthest) return std::nullopt;
  if (all_.size() == 0xffff) return std::nullopt;
  const auto pattern = static_cast<Pattern>(all_.size());
  all_.push_back(lanes);
  index_.emplace(lanes, pattern);
  return pattern;
}

bool PatternTable::constant_in_groups(Pattern pattern, int groups) const {
  const Lanes& lanes = all_[pattern];
  const int width = 32 / groups;
  for (int lane = 0; lane < 32; ++lane)
    if (lanes[lane] != lanes[lane / width * width]) return false;
  return true;
}

RegisterForm join(const RegisterForm& a, const RegisterForm& b) {
  if (a.kind == RegisterForm::Kind::none) return b;
  if (b.kind == RegisterForm::Kind::none) return a;
  if (a.kind != b.kind || a.pattern != b.pattern || a.scale != b.scale || a.is_varying())
    return RegisterForm::varying();
  RegisterForm joined = a;
  joined.groups = std::max(a.groups, b.groups);
  joined.alignment = std::min(a.alignment, b.alignment);
  return joined;
}

std::optional<RegisterForm> FormRules::grouped(const RegisterForm& form) const {
  if (form.is_grouped()) return form;
  if (!form.is_affine() || !patterns_.constant_in_groups(form.pattern, shape_.groups())) return std::nullopt;
  return RegisterForm{RegisterForm::Kind::affine, static_cast<std::uint8_t>(shape_.groups()), 0, kNoPattern, 1};
}

RegisterForm FormRules::operand(const Operand& operand) const {
  if (shape_.one_thread()) return RegisterForm::uniform();
  switch (operand.kind) {
    case Operand::Kind::reg: return operand.reg == ptx::kNoIndex ? RegisterForm::uniform() : registers_[operand.reg];
    case Operand::Kind::special: return special(operand.special);
    case Operand::Kind::integer: return RegisterForm::uniform(alignment_of(operand.integer()));
    case Operand::Kind::address: {
      Operand base = operand;
      base.kind = operand.reg == ptx::kNoIndex ? Operand::Kind::symbol : Operand::Kind::reg;
      return sum(this->operand(base), RegisterForm::uniform(alignment_of(operand.offset)), 1);
    }
    case Operand::Kind::symbol:
      if (operand.symbol_kind == ptx::SymbolKind::local &&
          function_.variables[operand.index].space == ptx::Space::local) {
        const auto pattern = patterns_.find(lanes_of([&](int lane) { return std::int64_t{local_bytes_} * lane; }));
        return pattern ? RegisterForm{RegisterForm::Kind::affine, 1, 4, *pattern, 1} : RegisterForm::varying();
      }
      if (const std::uint32_t stride = lane_bytes_of(operand)) {
        const auto pattern = patterns_.find(lanes_of([&](int lane) { return std::int64_t{stride} * lane; }));
        return pattern ? RegisterForm{RegisterForm::Kind::affine, 1, 0, *pattern, 1} : RegisterForm::varying();
      }
      break;
    case Operand::Kind::vector: {
      RegisterForm all;
      for (const Operand& element : function_.elements_of(operand)) {
        const RegisterForm form = this->operand(element);
        if (!form.is_grouped()) return RegisterForm::varying();
        all = join(all, form);
      }
      all.alignment = 0;
      return all;
    }
    default: break;
  }
  return RegisterForm::uniform();
}

// Arguments and results of device functions are in memory, a piece for each lane: how far the pieces are apart.
std::uint32_t FormRules::lane_bytes_of(const Operand& operand) const {
  switch (operand.symbol_kind) {
    case ptx::SymbolKind::parameter: return function_.entry ? 0 : function_.parameters[operand.index].size;
    case ptx::SymbolKind::result: return function_.results[operand.index].size;
    case ptx::SymbolKind::argument: return function_.arguments[operand.index].size;
    default: return 0;
  }
}

RegisterForm FormRules::special(Special special) const {
  using Rows = BlockShape::Rows;
  const Rows rows = shape_.rows;
  const int width = rows == Rows::narrow ? static_cast<int>(shape_.width) : 32;
  auto patterned = [&](const Lanes& lanes, std::uint8_t alignment) {
    return RegisterForm{RegisterForm::Kind::affine, 1, alignment, *patterns_.find(lanes), 1};
  };
  switch (special) {
    case Special::laneid: return patterned(lanes_of([](int lane) { return lane; }), kAllBits);
    case Special::tid_x:
      if (rows == Rows::scattered) return RegisterForm::varying();
      return patterned(lanes_of([&](int lane) { return lane % width; }), rows == Rows::narrow ? kAllBits : 5);
    case Special::tid_y:
      if (rows == Rows::scattered) return RegisterForm::varying();
      if (rows == Rows::narrow) {
        if (shape_.layers == BlockShape::Layers::any) return RegisterForm::varying();
        return patterned(lanes_of([&](int lane) { return lane / width; }), alignment_of(32 / width));
      }
      return RegisterForm::uniform(rows == Rows::line ? kAllBits : 0);
    case Special::tid_z:
      return shape_.layers == BlockShape::Layers::any
                 ? RegisterForm::varying()
                 : RegisterForm::uniform(shape_.layers == BlockShape::Layers::one ? kAllBits : 0);
    case Special::ntid_x:
      if (rows == Rows::narrow) return RegisterForm::uniform(alignment_of(width));
      return RegisterForm::uniform(rows == Rows::wide || (rows == Rows::line && shape_.full_warps) ? 5 : 0);
    case Special::lanemask_eq:
    case Special::lanemask_ge:
    case Special::lanemask_gt:
    case Special::lanemask_le:
    case Special::lanemask_lt: return RegisterForm::varying();
    default: return RegisterForm::uniform();
  }
}

RegisterForm FormRules::sum(const RegisterForm& a, const RegisterForm& b, int sign) const {
  if (a.kind == RegisterForm::Kind::none || b.kind == RegisterForm::Kind::none) return {};
  if (a.kind == RegisterForm::Kind::delayed ||
      b.kind == RegisterForm::Kind::delayed) {  // only offset + uniform keeps the form
    const RegisterForm& index = a.kind == RegisterForm::Kind::delayed ? a : b;
    const RegisterForm& other = a.kind == RegisterForm::Kind::delayed ? b : a;
    if (!other.is_grouped() || (sign < 0 && &index == &b)) return RegisterForm::varying();
    RegisterForm form = index;
    form.groups = std::max(a.groups, b.groups);
    return form;
  }
  if (a.is_permuted() || b.is_permuted()) {
    const RegisterForm &swapped = a.is_permuted() ? a : b, &other = a.is_permuted() ? b : a;
    if (!other.is_uniform() || (sign < 0 && &swapped == &b)) return RegisterForm::varying();
    RegisterForm form = swapped;
    form.alignment = std::min(a.alignment, b.alignment);
    return form;
  }
  if (!a.is_affine() || !b.is_affine()) return RegisterForm::varying();
  const Lanes &left = patterns_.lanes(a.pattern), &right = patterns_.lanes(b.pattern);
  const auto pattern = patterns_.find(lanes_of([&](int lane) { return left[lane] + sign * right[lane]; }));
  if (!pattern) return RegisterForm::varying();
  return {RegisterForm::Kind::affine, std::max(a.groups, b.groups), std::min(a.alignment, b.alignment), *pattern, 1};
}

RegisterForm FormRules::scaled(const RegisterForm& form, std::int64_t factor) const {
  if (form.kind == RegisterForm::Kind::delayed) {
    if (factor <= 0 || factor > kFarthest) return RegisterForm::varying();
    const std::int64_t scale = form.scale * factor;
    if (scale > kFarthest) return RegisterForm::varying();
    RegisterForm result = form;
    result.scale = static_cast<std::uint32_t>(scale);
    return result;
  }
  if (form.is_permuted()) {
    if (factor <= 0 || factor > kFarthest || form.scale * factor > kFarthest) return RegisterForm::varying();
    RegisterForm result = form;
    result.scale = static_cast<std::uint32_t>(form.scale * factor);
    result.alignment = alignment_sum(form.alignment, alignment_of(factor));
    return result;
  }
  if (!form.is_affine()) return form;
  RegisterForm result = form;
  result.alignment = alignment_sum(form.alignment, alignment_of(factor));
  if (form.pattern == kNoPattern) return result;
  if (factor > kFarthest || factor < -kFarthest) return RegisterForm::varying();
  const Lanes& lanes = patterns_.lanes(form.pattern);
  const auto pattern = patterns_.find(lanes_of([&](int lane) { return lanes[lane] * factor; }));
  if (!pattern) return RegisterForm::varying();
  result.pattern = *pattern;
  return result;
}

FormRules::Result FormRules::product(const Operand& a, const Operand& b) const {
  const RegisterForm left = operand(a), right = operand(b);
  if (left.kind == RegisterForm::Kind::none || right.kind == RegisterForm::Kind::none) return {};
  if (const auto factor = constant_of(b)) return {scaled(left, *factor)};
  if (const auto factor = constant_of(a)) return {scaled(right, *factor)};
  const auto x = grouped(left), y = grouped(right);
  if (!x || !y) return {RegisterForm::varying()};
  return {{RegisterForm::Kind::affine, std::max(x->groups, y->groups), alignment_sum(x->alignment, y->alignment),
           kNoPattern, 1},
          0b011};
}

RegisterForm FormRules::widened(const RegisterForm& form, ptx::Type from) const {
  if (form.is_permuted())  // what lanes add does not carry into the base
    return form.alignment < 32 && std::uint64_t{32} * form.scale <= std::uint64_t{1} << form.alignment
               ? form
               : RegisterForm::varying();
  if (!form.is_affine() || form.pattern == kNoPattern || ptx::is_signed(from)) return form;
  // Bits that a lane adds cannot carry into the base when the base is aligned beyond them.
  if (patterns_.least(form.pattern) >= 0 && form.alignment < 32 &&
      patterns_.greatest(form.pattern) < std::int64_t{1} << form.alignment)
    return form;
  if (form.alignment == kAllBits && patterns_.least(form.pattern) >= 0) return form;
  return {RegisterForm::Kind::delayed, form.groups, 0, form.pattern, 1};
}

FormRules::Result FormRules::converted(const Instruction& instruction) const {
  const Operand& source = function_.operands_of(instruction)[1];
  const RegisterForm form = operand(source);
  const ptx::Type to = instruction.types[0], from = instruction.types[1];
  if (is_integer(to) && is_integer(from) && !instruction.has(Modifier::sat)) {
    const int wide = ptx::bits_of(to), narrow = ptx::bits_of(from);
    if (narrow == 32 && wide == 64) return {widened(form, from)};
    if (form.is_permuted()) return {RegisterForm::varying()};
    if (((narrow == wide && narrow >= 32) || (narrow == 64 && wide == 32)) && form.is_affine()) return {form};
  }
  return elementwise(instruction);
}

// The number of a lane with some of its bits turned over, where the base has none of these bits.
RegisterForm FormRules::exclusive_or(const RegisterForm& a, const RegisterForm& b) const {
  const RegisterForm &lanes = b.is_uniform() ? a : b, &bits = b.is_uniform() ? b : a;
  if (!bits.is_uniform() || lanes.is_uniform() || lanes.alignment < 5 || lanes.groups != 1)
    return RegisterForm::varying();
  if (lanes.is_affine()) {
    const Lanes& numbers = patterns_.lanes(lanes.pattern);
    for (std::size_t lane = 0; lane < numbers.size(); ++lane)
      if (numbers[lane] != static_cast<std::int64_t>(lane)) return RegisterForm::varying();
  } else if (!lanes.is_permuted() || lanes.scale != 1) {
    return RegisterForm::varying();
  }
  return {RegisterForm::Kind::permuted, 1, 5, kNoPattern, 1};
}

RegisterForm FormRules::masked(const RegisterForm& form, std::int64_t mask) const {
  const std::int64_t least = patterns_.least(form.pattern), greatest = patterns_.greatest(form.pattern);
  const std::int64_t room = form.alignment >= 32 ? std::int64_t{1} << 32 : std::int64_t{1} << form.alignment;
  if (least < 0 || greatest >= room) return RegisterForm::varying();
  const std::int64_t low = mask & 0xffff'ffff;
  RegisterForm result = form;
  if (mask >= 0 && std::has_single_bit(static_cast<std::uint64_t>(mask) + 1) && mask + 1 <= room && greatest <= mask) {
    result.alignment = mask + 1 == room ? kAllBits : form.alignment;
    return result;
  }
  const std::int64_t hole = (~low & 0xffff'ffff) + 1;  // for ...11110000: 2^4
  if (std::has_single_bit(static_cast<std::uint64_t>(hole)) && greatest < hole && hole <= room) {
    result.pattern = kNoPattern;
    return result;
  }
  return RegisterForm::varying();
}

RegisterForm FormRules::shifted_right(const RegisterForm& form, std::int64_t amount) const {
  if (amount < 0 || amount > 31) return RegisterForm::varying();
  const std::int64_t least = patterns_.least(form.pattern), greatest = patterns_.greatest(form.pattern);
  const int aligned = std::min<int>(form.alignment, 32);
  if (least < 0 || greatest >= std::int64_t{1} << aligned || aligned < amount) return RegisterForm::varying();
  const Lanes& lanes = patterns_.lanes(form.pattern);
  const auto pattern = patterns_.find(lanes_of([&](int lane) { return lanes[lane] >> amount; }));
  RegisterForm result = form;
  result.pattern = *pattern;
  result.alignment = form.alignment == kAllBits ? kAllBits : static_cast<std::uint8_t>(form.alignment - amount);
  return result;
}

FormRules::Result FormRules::elementwise(const Instruction& instruction) const {
  const auto operands = function_.operands_of(instruction);
  RegisterForm all = RegisterForm::uniform();
  for (std::size_t i = instruction.outputs; i < operands.size(); ++i) {
    const RegisterForm form = operand(operands[i]);
    if (form.kind == RegisterForm::Kind::none) return {};
    const auto group = grouped(form);
    if (!group) return {RegisterForm::varying()};
    all.groups = std::max(all.groups, group->groups);
  }
  return {all, ~0u};
}

FormRules::Result FormRules::loaded(const Instruction& instruction) const {
  const Operand& address = function_.operands_of(instruction)[1];
  if (address.kind == Operand::Kind::address && address.symbol_kind == ptx::SymbolKind::argument)
    return {RegisterForm::varying()};
  const RegisterForm form = operand(address);
  if (form.kind == RegisterForm::Kind::none) return {};
  const auto group = grouped(form);
  if (!group) return {RegisterForm::varying()};
  return {{RegisterForm::Kind::affine, group->groups, 0, kNoPattern, 1}, ~0u};
}

FormRules::Result FormRules::result(const Instruction& instruction) const {
  if (shape_.one_thread()) return {RegisterForm::uniform(), ~0u};
  const auto operands = function_.operands_of(instruction);
  const ptx::Type type = instruction.type();
  const std::size_t first = instruction.outputs;
  auto at = [&](std::size_t i) -> const Operand& { return operands[first + i]; };
  auto either_none = [&](const RegisterForm& a, const RegisterForm& b) {
    return a.kind == RegisterForm::Kind::none || b.kind == RegisterForm::Kind::none;
  };

  if (instruction.has(Modifier::cc)) return {RegisterForm::varying()};  // the carry is held by lane
  switch (instruction.meaning()) {
    case Meaning::copy:
      if (at(0).kind == Operand::Kind::vector || operands[0].kind == Operand::Kind::vector)
        return elementwise(instruction);
      if (operands[0].reg != ptx::kNoIndex && ptx::is_floating(function_.registers[operands[0].reg]) &&
          !operand(at(0)).is_grouped())
        return {RegisterForm::varying()};
      return {operand(at(0))};
    case Meaning::address: return {operand(at(0))};
    case Meaning::sum:
    case Meaning::difference:
      if (!is_integer(type) || ptx::bits_of(type) < 32 || instruction.has(Modifier::sat)) break;
      return {sum(operand(at(0)), operand(at(1)), instruction.meaning() == Meaning::sum ? 1 : -1)};
    case Meaning::negation:
      if (!is_integer(type) || ptx::bits_of(type) < 32) break;
      return {scaled(operand(at(0)), -1)};
    case Meaning::product:
    case Meaning::product_sum: {
      if (!is_integer(type) || ptx::bits_of(type) < 32 || instruction.has(Modifier::hi)) break;
      Result result = product(at(0), at(1));
      if (instruction.has(Modifier::wide)) {
        // The factors are widened before they are multiplied.
        const RegisterForm a = widened(operand(at(0)), type), b = widened(operand(at(1)), type);
        if (either_none(a, b)) return {};
        if (const auto factor = constant_of(at(1)))
          result.form = scaled(a, *factor);
        else if (const auto left = constant_of(at(0)))
          result.form = scaled(b, *left);
      }
      if (instruction.meaning() == Meaning::product_sum) result.form = sum(result.form, operand(at(2)), 1);
      return result;
    }
    case Meaning::shift_left:
      if (const auto amount = constant_of(at(1)); amount && ptx::bits_of(type) >= 32 && *amount >= 0 && *amount < 24)
        return {scaled(operand(at(0)), std::int64_t{1} << *amount)};
      break;
    case Meaning::bit_and:
      if (const auto mask = constant_of(at(1)); mask && ptx::bits_of(type) == 32) {
        const RegisterForm form = operand(at(0));
        if (form.is_affine() && form.pattern != kNoPattern)
          if (const RegisterForm result = masked(form, *mask); !result.is_varying()) return {result};
      }
      break;
    case Meaning::bit_xor:
      if (ptx::bits_of(type) == 32) {
        const RegisterForm a = operand(at(0)), b = operand(at(1));
        if (either_none(a, b)) return {};
        if (const RegisterForm result = exclusive_or(a, b); !result.is_varying()) return {result};
      }
      break;
    case Meaning::bit_or:
      if (const auto bits = constant_of(at(1)); bits && *bits >= 0 && ptx::bits_of(type) >= 32) {
        const RegisterForm form = operand(at(0));
        if (form.is_affine() && form.pattern != kNoPattern) {
          std::uint8_t aligned = form.alignment;
          for (std::int64_t lane : patterns_.lanes(form.pattern)) aligned = std::min(aligned, alignment_of(lane));
          if (*bits < std::int64_t{1} << std::min<int>(aligned, 31))
            return {sum(form, RegisterForm::uniform(alignment_of(*bits)), 1)};
        }
      }
      break;
    case Meaning::shift_right:
      if (const auto amount = constant_of(at(1)); amount && ptx::bits_of(type) == 32) {
        const RegisterForm form = operand(at(0));
        if (form.is_affine() && form.pattern != kNoPattern)
          if (const RegisterForm result = shifted_right(form, *amount); !result.is_varying()) return {result};
      }
      break;
    case Meaning::choice:
      if (const RegisterForm condition = operand(at(2)); condition.is_uniform()) {
        const RegisterForm a = operand(at(0)), b = operand(at(1));
        if (!either_none(a, b) && join(a, b).is_affine()) return {join(a, b)};
      }
      break;
    case Meaning::conversion: return converted(instruction);
    case Meaning::load: return loaded(instruction);
    case Meaning::of_members: {
      const RegisterForm members = operand(operands.back());
      return {members.is_uniform() ? RegisterForm::uniform() : RegisterForm::varying()};
    }
    case Meaning::three_bits:
      if (instruction.operand_count == 6) return {RegisterForm::varying()};
      break;
    case Meaning::uniform: return {RegisterForm::uniform()};
    case Meaning::varying: return {RegisterForm::varying()};
    default: break;
  }
  return elementwise(instruction);
}

}  // namespace xcuda::device::cpu
