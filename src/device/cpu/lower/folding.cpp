#include "device/cpu/lower/folding.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "device/cpu/lower/instruction_writer.hpp"
#include "device/cpu/lower/known_sums.hpp"
#include "device/cpu/lower/reaching_values.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::Register;

namespace {

constexpr std::uint64_t kTwoTo32 = std::uint64_t{1} << 32;
constexpr std::size_t kMostParts = 3, kMostTerms = 6;  // of a sum that is written anew
constexpr std::size_t kMostWays = 4;                   // to where values meet: a division has two

// A register, or with no register the number 1; as 64 bits, if it has fewer; and how often.
struct Part {
  Register reg = ptx::kNoIndex;
  enum class As : std::uint8_t { it_is, unsigned64, signed64 } as = As::it_is;
  std::uint64_t times = 1;
};

struct Folded {
  Index instruction;
  std::vector<Part> parts;
};

// What each definition of a register is as a polynomial of others, and which sums get shorter by that.
class Finder {
 public:
  Finder(const Function& function, const ReachingValues& values)
      : function_(function), values_(values), sums_(function) {}

  std::vector<Folded> run() {
    values_.each([&](Index index, const std::vector<Site>& held) {
      held_ = &held;
      visit(index);
    });
    return std::move(found_);
  }

 private:
  using Kind = Polynomials::AtomOf::Kind;
  using Result = Polynomials::Result;
  struct Home {
    Site site;
    Register reg;
  };

  void visit(Index index) {
    const Instruction& instruction = function_.instructions[index];
    if (instruction.opcode == Opcode::bra && instruction.guarded()) guards_[index] = (*held_)[instruction.guard];
    if (instruction.opcode == Opcode::setp) test(index, instruction);
    if (instruction.outputs != 1 || instruction.operand_count < 2) return;
    const auto operands = function_.operands_of(instruction);
    if (operands[0].kind != Operand::Kind::reg || operands[0].second != ptx::kNoIndex ||
        operands[0].reg == ptx::kNoIndex || !is_whole(function_.registers[operands[0].reg]))
      return;
    Result result;
    sums_.sums.take_cancelled();
    if (!instruction.guarded()) result = sums_.result_of(instruction, *held_);
    bool cancelled = sums_.sums.take_cancelled();
    const Register to = operands[0].reg;
    const int bits = ptx::bits_of(function_.registers[to]);
    const bool known = result && sums_.sums.bits(*result) == bits;
    if (!known) result = sums_.sums.value(index, to, bits);
    if (known && is_sum(instruction)) {
      if (const Result common = bits == 64 ? common_of_ways(*result) : std::nullopt) {
        result = common;
        cancelled = true;
      }
      if (cancelled)
        if (auto parts = parts_of(*result); parts && !(is_addition(instruction) && multiplies(*parts, bits)))
          found_.push_back({index, std::move(*parts)});
    } else if (!instruction.guarded() && instruction.opcode == Opcode::or_ && bits == 64) {
      const Result a = sums_.operand(operands[1], bits, *held_), b = sums_.operand(operands[2], bits, *held_);
      if (a && b) unions_[*result] = {*a, *b};
    }
    sums_.define(index, *result);
    homes_[*result].push_back({index, to});
  }

  static bool is_sum(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mad:
      case Opcode::bfi: return true;
      default: return false;
    }
  }

  // A product takes longer than the sum that it would replace.
  static bool is_addition(const Instruction& instruction) {
    return instruction.opcode == Opcode::add || instruction.opcode == Opcode::sub;
  }
  static bool multiplies(const std::vector<Part>& parts, int bits) {
    const std::uint64_t minus = bits == 64 ? kMinusOne : 0xffff'ffff;
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.reg != ptx::kNoIndex && part.times != 1 && part.times != minus;
    });
  }

  // --- Values that meet -----------------------------------------------------------------------------------------

  // A quotient of 64 bits is computed on two ways, one of them for numbers whose upper halves are 0. What it is then
  // part of can be the same on both: that value. No loop leads back there, so what the ways know has not changed since.
  Result common_of_ways(Polynomial sum) {
    std::optional<Site> meeting;
    for (const Polynomials::Term& term : sums_.sums.terms(sum))
      for (int i = 0; i < term.degree() && !meeting; ++i)
        meeting = meeting_of(term.factors[static_cast<std::size_t>(i)]);
    if (!meeting || ways_to(*meeting).size() > kMostWays) return std::nullopt;
    Result common;
    for (const ReachingValues::Way& way : ways_to(*meeting)) {
      const Result here = on_way(sum, *meeting, way);
      if (!here || (common && *common != *here)) return std::nullopt;
      common = here;
    }
    return common;
  }
  std::optional<Site> meeting_of(Atom atom) const {
    const auto& value = sums_.sums.atom(atom);
    if (value.kind != Kind::value || !values_.is_beginning(value.first)) return std::nullopt;
    return value.first;
  }
  const std::vector<ReachingValues::Way>& ways_to(Site site) {
    const auto [at, added] = ways_.try_emplace(site);
    if (added) at->second = values_.ways_to(site);
    return at->second;
  }

  Result on_way(Polynomial sum, Site meeting, const ReachingValues::Way& way) {
    Result here = sum;
    for (const Polynomials::Term& term : std::vector(sums_.sums.terms(sum)))
      for (int i = 0; i < term.degree() && here; ++i) {
        const Atom atom = term.factors[static_cast<std::size_t>(i)];
        if (meeting_of(atom) != meeting) continue;
        const Register reg = sums_.sums.atom(atom).second;
        here = sums_.sums.substituted(*here, atom, sums_.known(reg, way.held[reg]));
      }
    for (const Polynomial small : small_on(way))
      if (const Result low = here ? sums_.sums.low(small) : std::nullopt)
        if (const Result wide = sums_.sums.zero_extended(*low); wide && sums_.sums.atom_of(*wide))
          here = sums_.sums.substituted(*here, sums_.sums.terms(*wide)[0].factors[0], small);
    return here;
  }

  // What is below 2^32 there, because of the branch that leads there.
  std::vector<Polynomial> small_on(const ReachingValues::Way& way) const {
    const auto guard = way.branch == ptx::kNoIndex ? guards_.end() : guards_.find(way.branch);
    const auto found = guard == guards_.end() ? tests_.end() : tests_.find(guard->second);
    if (found == tests_.end()) return {};
    const bool holds = way.taken != function_.instructions[way.branch].guard_negated;
    if (holds != found->second.equal) return {};
    const auto both = unions_.find(found->second.number);
    if (both == unions_.end()) return {found->second.number};
    return {both->second.first, both->second.second};
  }

  // Whether the upper half of a number is 0.
  void test(Index index, const Instruction& instruction) {
    const bool equal = instruction.has(Modifier::eq);
    if (instruction.guarded() || instruction.modifier_count != 1 || (!equal && !instruction.has(Modifier::ne)) ||
        instruction.operand_count != 3 || ptx::bits_of(instruction.type()) != 64 || !is_whole(instruction.type()))
      return;
    const auto operands = function_.operands_of(instruction);
    if (operands[0].second != ptx::kNoIndex) return;  // setp p|q: two predicates, which say the opposite
    const Result a = sums_.operand(operands[1], 64, *held_), b = sums_.operand(operands[2], 64, *held_);
    if (!a || !b || sums_.sums.constant_of(*b) != 0) return;
    const auto& terms = sums_.sums.terms(*a);
    if (terms.size() != 1 || terms[0].degree() != 1 || terms[0].coefficient != kTwoTo32) return;
    const auto& quotient = sums_.sums.atom(terms[0].factors[0]);
    if (quotient.kind == Kind::quotient && sums_.sums.constant_of(quotient.second) == kTwoTo32)
      tests_[index] = {quotient.first, equal};
  }

  // --- How to write a polynomial here ----------------------------------------------------------------------------

  std::optional<Register> home_of(Polynomial sum) const {
    if (const auto value = sums_.sums.atom_of(sum); value && value->kind == Kind::value)
      if ((*held_)[value->second] == value->first) return value->second;
    const auto homes = homes_.find(sum);
    if (homes == homes_.end()) return std::nullopt;
    for (const Home& home : homes->second)
      if ((*held_)[home.reg] == home.site) return home.reg;
    return std::nullopt;
  }

  std::optional<Part> part_of(Polynomial sum) const {
    if (const auto reg = home_of(sum)) return Part{*reg};
    const auto atom = sums_.sums.atom_of(sum);
    if (!atom || (atom->kind != Kind::unsigned64 && atom->kind != Kind::signed64)) return std::nullopt;
    const auto reg = home_of(atom->first);
    if (!reg) return std::nullopt;
    return Part{*reg, atom->kind == Kind::unsigned64 ? Part::As::unsigned64 : Part::As::signed64};
  }

  // A term that is a number, or a multiple of what is in a register.
  std::optional<Part> part_of(Polynomials::Term term, int bits) {
    if (term.degree() == 0) return Part{ptx::kNoIndex, Part::As::it_is, term.coefficient};
    if (const auto whole = home_of(sums_.sums.of_terms({term}, bits))) return Part{*whole};
    const std::uint64_t times = std::exchange(term.coefficient, 1);
    auto part = part_of(sums_.sums.of_terms({term}, bits));
    if (part) part->times = times;
    return part;
  }

  // A register that holds all, or all but some terms, and these.
  std::optional<std::vector<Part>> parts_of(Polynomial sum) {
    const int bits = sums_.sums.bits(sum);
    const std::vector<Polynomials::Term> terms = sums_.sums.terms(sum);
    if (terms.empty()) return std::vector<Part>{{ptx::kNoIndex, Part::As::it_is, 0}};
    if (terms.size() > kMostTerms) return std::nullopt;
    std::vector<std::optional<Part>> single;
    for (const Polynomials::Term& term : terms) single.push_back(part_of(term, bits));
    std::optional<std::vector<Part>> best;
    for (std::uint32_t apart = 0; apart < 1u << terms.size(); ++apart) {
      std::vector<Part> parts;
      std::vector<Polynomials::Term> rest;
      bool possible = true;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        if (!(apart >> i & 1)) {
          rest.push_back(terms[i]);
          continue;
        }
        possible = possible && single[i].has_value();
        if (single[i]) parts.push_back(*single[i]);
      }
      if (!possible || parts.size() + !rest.empty() > kMostParts) continue;
      if (!rest.empty()) {
        const auto part = part_of(sums_.sums.of_terms(std::move(rest), bits));
        if (!part) continue;
        parts.insert(parts.begin(), *part);
      }
      if (!best || parts.size() < best->size()) best = std::move(parts);
    }
    return best;
  }

  const Function& function_;
  const ReachingValues& values_;
  const std::vector<Site>* held_ = nullptr;  // by register, before the instruction
  KnownSums sums_;
  std::map<Polynomial, std::vector<Home>> homes_;  // which registers hold it
  struct Test {
    Polynomial number;  // below 2^32 if it is `equal`
    bool equal;
  };
  std::map<Site, Test> tests_;                                      // of predicates
  std::map<Index, Site> guards_;                                    // of branches, their predicates
  std::map<Polynomial, std::pair<Polynomial, Polynomial>> unions_;  // of bits
  std::map<Site, std::vector<ReachingValues::Way>> ways_;
  std::vector<Folded> found_;
};

class Folder : InstructionWriter {
 public:
  explicit Folder(Function& function) : InstructionWriter(function) {}

  void run(std::vector<Folded> found) {
    std::sort(found.begin(), found.end(),
              [](const Folded& a, const Folded& b) { return a.instruction < b.instruction; });
    auto next = found.begin();
    Index index = 0;
    rewrite([] {},
            [&](const Instruction& each) {
              at_ = each;
              if (next != found.end() && next->instruction == index)
                write((next++)->parts);
              else
                function_.instructions.push_back(each);
              ++index;
            });
  }

 private:
  // The sum of all, a step for each; the last one goes to the result.
  void write(std::vector<Part> parts) {
    // What is taken as it is comes first, so that the others are added to it.
    std::stable_partition(parts.begin(), parts.end(),
                          [](const Part& part) { return part.times == 1 && part.reg != ptx::kNoIndex; });
    const Operand to = function_.operands[at_.first_operand];
    const ptx::Type type = function_.registers[to.reg];
    const bool wide = ptx::bits_of(type) == 64;
    const ptx::Type bits = wide ? ptx::Type::b64 : ptx::Type::b32, whole = wide ? ptx::Type::u64 : ptx::Type::u32;
    Operand sum;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      const bool last = i + 1 == parts.size();
      const auto step = [&](Opcode opcode, std::initializer_list<Operand> from) {
        const Operand result = last ? to : new_register(bits);
        Instruction& made = typed(add(opcode, {}), whole);
        function_.operands.push_back(result);
        function_.operands.insert(function_.operands.end(), from);
        made.operand_count = static_cast<std::uint16_t>(1 + from.size());
        if (opcode == Opcode::mul || opcode == Opcode::mad)
          made.modifiers[0] = Modifier::lo, made.modifier_count = made.types_at = 1;
        return result;
      };
      if (part.reg == ptx::kNoIndex) {
        sum = i == 0 ? step(Opcode::mov, {number(part.times)}) : step(Opcode::add, {sum, number(part.times)});
        continue;
      }
      Operand value = reg(part.reg);
      if (part.as != Part::As::it_is)
        value = widened(part, i == 0 && last && part.times == 1 ? to : new_register(bits));
      const bool minus = part.times == (wide ? kMinusOne : 0xffff'ffff);
      if (i == 0 && part.times == 1)
        sum = last && value.reg != to.reg ? step(Opcode::mov, {value}) : value;
      else if (i == 0)
        sum = step(Opcode::mul, {value, number(part.times)});
      else if (part.times == 1 || minus)
        sum = step(minus ? Opcode::sub : Opcode::add, {sum, value});
      else
        sum = step(Opcode::mad, {value, number(part.times), sum});
    }
  }

  Operand widened(const Part& part, const Operand& to) {
    const bool negative = part.as == Part::As::signed64;
    Instruction& made = typed(add(Opcode::cvt, {to, reg(part.reg)}), negative ? ptx::Type::s64 : ptx::Type::u64);
    made.types[1] = negative ? ptx::Type::s32 : ptx::Type::u32;
    made.type_count = 2;
    return to;
  }
};

// An integer is divided or shifted.
bool takes_apart(const Instruction& instruction) {
  if (!is_whole(instruction.type())) return false;
  switch (instruction.opcode) {
    case Opcode::div:
    case Opcode::rem:
    case Opcode::shr:
    case Opcode::bfe: return true;
    case Opcode::mul: return instruction.has(Modifier::hi);
    default: return false;
  }
}

}  // namespace

Module with_indices_folded(Module module) {
  for (Function& function : module.functions) {
    if (std::none_of(function.instructions.begin(), function.instructions.end(), takes_apart)) continue;
    const auto values = ReachingValues::of(function);
    if (!values) continue;
    std::vector<Folded> found = Finder(function, *values).run();
    if (!found.empty()) Folder(function).run(std::move(found));
  }
  return module;
}

}  // namespace xcuda::device::cpu
