#include "ptx/parameter_uses.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace xcuda::ptx {
namespace {

// A bit for each of the first 63 parameters; the last one is for all others.
using Set = std::uint64_t;
constexpr Index kMost = 63;
constexpr Set kAll = ~Set{0};
constexpr Set bit(Index parameter) { return Set{1} << std::min(parameter, kMost); }

// Functions that the device provides and that leave arrays alone.
bool leaves_arrays(std::string_view function) {
  static constexpr std::string_view kFunctions[] = {"vprintf", "__assertfail", "malloc", "free"};
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

class Uses {
 public:
  Uses(const Module& module, const Function& entry)
      : module_(module), entry_(entry), registers_(entry.registers.size()) {}

  ParameterUses find() {
    while (spread()) {}
    for (const auto& instruction : entry_.instructions) look_at(instruction);
    ParameterUses uses{.elsewhere = elsewhere_};
    for (Index i = 0; i < entry_.parameters.size(); ++i)
      uses.parameters.push_back({(reads_ & bit(i)) != 0, (writes_ & bit(i)) != 0});
    return uses;
  }

 private:
  // What an operand is computed from.
  Set from(const Operand& operand) const {
    Set set = operand.reg != kNoIndex ? registers_[operand.reg] : 0;
    if ((operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::address) &&
        operand.symbol_kind == SymbolKind::parameter)
      set |= bit(operand.index);
    if (operand.kind == Operand::Kind::vector)
      for (const auto& element : entry_.elements_of(operand)) set |= from(element);
    return set;
  }

  bool give(const Operand& output, Set set) {
    bool changed = false;
    const auto add = [&](Register reg) {
      if (reg == kNoIndex) return;
      changed |= (registers_[reg] | set) != registers_[reg];
      registers_[reg] |= set;
    };
    add(output.reg);
    add(output.second);
    if (output.kind == Operand::Kind::vector)
      for (const auto& element : entry_.elements_of(output)) add(element.reg);
    return changed;
  }

  // What comes from memory comes from no parameter; the parameters themselves are read as if they were memory.
  static bool is_of_memory(const Instruction& instruction) {
    return instruction.is(Trait::accesses) && instruction.space != Space::param;
  }

  // One walk over all instructions in any order: registers only gain.
  bool spread() {
    bool changed = false;
    for (const auto& instruction : entry_.instructions) {
      if (is_of_memory(instruction)) continue;
      const auto operands = entry_.operands_of(instruction);
      Set set = 0;
      for (std::size_t i = instruction.outputs; i < operands.size(); ++i) set |= from(operands[i]);
      for (std::size_t i = 0; i < instruction.outputs && i < operands.size(); ++i) changed |= give(operands[i], set);
    }
    return changed;
  }

  void look_at(const Instruction& instruction) {
    if (instruction.opcode == Opcode::unknown) return anything();
    if (instruction.is(Trait::calls)) return call(entry_.calls[instruction.call]);
    if (instruction.is(Trait::image) || instruction.is(Trait::surface)) elsewhere_ = true;
    if (instruction.is(Trait::copies)) return copy(instruction);
    const bool simple = instruction.is(Trait::accesses);
    if (simple && instruction.space != Space::global && instruction.space != Space::generic) return;
    const bool atomic = instruction.is(Trait::atomic);
    for (const auto& operand : entry_.operands_of(instruction)) {
      if (operand.kind != Operand::Kind::address) continue;
      const Set set = from_address(operand);
      if (set == 0 && simple && !is_own(operand)) elsewhere_ = true;
      if (!simple || atomic || instruction.is(Trait::reads)) reads_ |= set;
      if (!simple || atomic || instruction.is(Trait::writes)) writes_ |= set;
    }
  }

  // cp.async and its kin: to the first address, from the second. One of both is in shared memory, most often.
  void copy(const Instruction& instruction) {
    Set all = 0;
    Set* to = &writes_;
    bool addressed = false;
    for (const auto& operand : entry_.operands_of(instruction)) {
      if (operand.kind != Operand::Kind::address) continue;
      addressed = true;
      *to |= from_address(operand);
      all |= from_address(operand);
      to = &reads_;
    }
    if (addressed && all == 0) elsewhere_ = true;  // cp.async.wait_group has no address
  }

  void call(const Call& call) {
    if (call.callee.kind == Operand::Kind::symbol && leaves_arrays(module_.functions[call.callee.index].name)) return;
    anything();
  }

  void anything() {
    reads_ = writes_ = kAll;
    elsewhere_ = true;
  }

  Set from_address(const Operand& operand) const { return operand.symbol_kind == SymbolKind::none ? from(operand) : 0; }

  // Memory that belongs to a thread or a call.
  static bool is_own(const Operand& operand) {
    return operand.symbol_kind == SymbolKind::local || operand.symbol_kind == SymbolKind::parameter ||
           operand.symbol_kind == SymbolKind::argument || operand.symbol_kind == SymbolKind::result;
  }

  const Module& module_;
  const Function& entry_;
  std::vector<Set> registers_;  // by register
  Set reads_ = 0, writes_ = 0;
  bool elsewhere_ = false;
};

}  // namespace

ParameterUses parameter_uses(const Module& module, const Function& entry) { return Uses(module, entry).find(); }

}  // namespace xcuda::ptx
