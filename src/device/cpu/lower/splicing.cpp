#include "device/cpu/lower/splicing.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::SymbolKind;

namespace {

constexpr std::size_t kMostInstructions = 1 << 20;  // that are put in place of calls, in all functions together

bool returns(const Instruction& instruction) {
  return instruction.is(ptx::Trait::leaves) && !instruction.is(ptx::Trait::ends_thread);
}

// Puts the body of one function into another in the place of calls.
class Host {
 public:
  Host(Function& function, const Splice& splice)
      : module_(splice.module), function_(function), chosen_(splice.chosen), inserted_(splice.inserted) {}

  void run() {
    std::vector<Instruction> before = std::move(function_.instructions);
    function_.instructions.clear();
    const auto labels = function_.labels.size();
    std::vector<Index> moved(before.size() + 1);  // where each instruction is now
    for (std::size_t i = 0; i < before.size(); ++i) {
      moved[i] = static_cast<Index>(function_.instructions.size());
      if (const auto callee = callee_of(function_, before[i]); callee && chosen_[*callee] && fits(before[i], *callee))
        insert(before[i], module_.functions[*callee]);
      else
        function_.instructions.push_back(before[i]);
    }
    moved[before.size()] = static_cast<Index>(function_.instructions.size());
    for (std::size_t i = 0; i < labels; ++i) function_.labels[i].instruction = moved[function_.labels[i].instruction];
    for (Operand& operand : function_.operands) rename(operand);
    for (ptx::Call& call : function_.calls) {
      for (Operand& operand : call.arguments) rename(operand);
      for (Operand& operand : call.results) rename(operand);
    }
    for (Instruction& instruction : function_.instructions)
      if (instruction.space == ptx::Space::param && touches_local(instruction)) instruction.space = ptx::Space::local;
  }

 private:
  // An argument in memory stays itself; one in a register may be any operand.
  bool fits(const Instruction& instruction, Index index) const {
    const ptx::Call& call = function_.calls[instruction.call];
    const Function& callee = module_.functions[index];
    if (inserted_ + callee.instructions.size() > kMostInstructions) return false;
    const auto fit = [](const std::vector<Operand>& given, const std::vector<ptx::Parameter>& wanted) {
      const auto both = [](const Operand& o, const ptx::Parameter& p) {
        return p.in_register != (o.kind == Operand::Kind::symbol && o.symbol_kind == SymbolKind::argument);
      };
      return given.size() == wanted.size() && std::equal(given.begin(), given.end(), wanted.begin(), both);
    };
    return fit(call.arguments, callee.parameters) && fit(call.results, callee.results);
  }

  bool touches_local(const Instruction& instruction) const {
    const auto operands = function_.operands_of(instruction);
    return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
      return operand.kind == Operand::Kind::address && operand.symbol_kind == SymbolKind::local;
    });
  }

  // An argument of an inlined call is a local variable, for both sides of it.
  Index variable_of(Index argument) {
    const auto found = variables_.find(argument);
    if (found != variables_.end()) return found->second;
    const ptx::Parameter& parameter = function_.arguments[argument];
    const auto index = static_cast<Index>(function_.variables.size());
    ptx::Variable variable;
    variable.name = parameter.name;
    variable.space = ptx::Space::local;
    variable.type = parameter.type;
    variable.size = parameter.size;
    variable.alignment = std::max(parameter.alignment, 8u);
    function_.variables.push_back(std::move(variable));
    return variables_.emplace(argument, index).first->second;
  }
  void rename(Operand& operand) const {
    if (operand.symbol_kind != SymbolKind::argument) return;
    if (const auto found = variables_.find(operand.index); found != variables_.end()) {
      operand.symbol_kind = SymbolKind::local;
      operand.index = found->second;
    }
  }

  Index add_label() {
    function_.labels.push_back({"$xcuda_inlined_" + std::to_string(function_.labels.size()), ptx::kNoIndex});
    return static_cast<Index>(function_.labels.size() - 1);
  }

  Instruction jump(const Instruction& at, Index label) {
    Operand target;
    target.kind = Operand::Kind::label;
    target.index = label;
    return make_instruction(function_, at, Opcode::bra, {target});
  }

  // `mov` from the caller's operand to the callee's register, or back.
  void pass(const Instruction& at, const ptx::Parameter& parameter, const Operand& from, const Operand& to) {
    Instruction move = make_instruction(function_, at, from.negated ? Opcode::not_ : Opcode::mov, {to, from});
    function_.operands.back().negated = false;
    move.outputs = 1;
    move.type_count = 1;
    move.types[0] = parameter.type;
    function_.instructions.push_back(move);
  }
  static Operand register_of(const ptx::Parameter& parameter, Index base) {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.reg = parameter.reg + base;
    return operand;
  }

  // As the host has it.
  void place(Operand& operand, const Pools& base, Index variables, const ptx::Call& call) {
    if (operand.kind != Operand::Kind::symbol && operand.kind != Operand::Kind::address) return;
    const auto passed = [&](const std::vector<Operand>& list) {
      const Operand& given = list[operand.index];
      operand.symbol_kind = SymbolKind::local;
      operand.index = variable_of(given.index);
      operand.offset += given.offset;
    };
    switch (operand.symbol_kind) {
      case SymbolKind::parameter: return passed(call.arguments);
      case SymbolKind::result: return passed(call.results);
      case SymbolKind::argument: operand.index += base.arguments; break;
      case SymbolKind::local: operand.index += variables; break;
      default: break;
    }
  }

  Index variables_base(const Function& callee) {
    // A __shared__ variable is one, however often the function is called.
    const auto [found, fresh] = callee_variables_.emplace(callee.name, static_cast<Index>(function_.variables.size()));
    if (fresh) function_.variables.insert(function_.variables.end(), callee.variables.begin(), callee.variables.end());
    return found->second;
  }

  void insert(const Instruction& instruction, const Function& callee) {
    const ptx::Call call = function_.calls[instruction.call];
    for (const auto* list : {&call.arguments, &call.results})
      for (const Operand& operand : *list)
        if (operand.symbol_kind == SymbolKind::argument) variable_of(operand.index);
    const Index variables = variables_base(callee);
    const Pools base = append_pools(function_, callee);
    each_appended(function_, base, [&](Operand& operand) { place(operand, base, variables, call); });

    const Index end = instruction.guarded() ? add_label() : ptx::kNoIndex;
    Index returned = ptx::kNoIndex;  // where its `ret` go
    if (instruction.guarded()) {
      Instruction over = jump(instruction, end);
      over.guard = instruction.guard;
      over.guard_negated = !instruction.guard_negated;
      function_.instructions.push_back(over);
    }
    inserted_ += callee.instructions.size();
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (const ptx::Parameter& parameter = callee.parameters[i]; parameter.in_register)
        pass(instruction, parameter, call.arguments[i], register_of(parameter, base.registers));
    const auto first = static_cast<Index>(function_.instructions.size());
    for (const Instruction& each : callee.instructions) {
      if (returns(each) && !each.guarded() && &each == &callee.instructions.back()) break;
      Instruction copy = each;
      if (copy.location == ptx::kNoIndex) copy.location = instruction.location, copy.line = instruction.line;
      if (copy.guard != ptx::kNoIndex) copy.guard += base.registers;
      if (returns(each)) {
        if (returned == ptx::kNoIndex) returned = add_label();
        copy = jump(copy, returned);
        if (each.guarded()) copy.guard = each.guard + base.registers, copy.guard_negated = each.guard_negated;
      } else {
        copy.first_operand += base.operands;
        if (copy.call != ptx::kNoIndex) copy.call += base.calls;
        if (copy.targets != ptx::kNoIndex) copy.targets += base.lists;
      }
      // Through a register: an address of what was a parameter and is a local variable.
      if (copy.space == ptx::Space::param && copy.find(ptx::Category::space) != Modifier::param_entry)
        for (const Operand& operand : function_.operands_of(copy))
          if (operand.kind == Operand::Kind::address && operand.reg != ptx::kNoIndex) copy.space = ptx::Space::local;
      function_.instructions.push_back(copy);
    }
    for (std::size_t i = 0; i < callee.labels.size(); ++i) function_.labels[base.labels + i].instruction += first;
    if (returned != ptx::kNoIndex)
      function_.labels[returned].instruction = static_cast<Index>(function_.instructions.size());
    for (std::size_t i = 0; i < call.results.size(); ++i)
      if (const ptx::Parameter& parameter = callee.results[i];
          parameter.in_register && call.results[i].kind != Operand::Kind::discard)
        pass(instruction, parameter, register_of(parameter, base.registers), call.results[i]);
    if (end != ptx::kNoIndex) function_.labels[end].instruction = static_cast<Index>(function_.instructions.size());
  }

  const Module& module_;
  Function& function_;
  const std::vector<bool>& chosen_;
  std::size_t& inserted_;             // instructions
  std::map<Index, Index> variables_;  // by argument
  std::map<std::string, Index> callee_variables_;
};

template <class T> Index appended(std::vector<T>& to, const std::vector<T>& from) {
  const auto base = static_cast<Index>(to.size());
  to.insert(to.end(), from.begin(), from.end());
  return base;
}

}  // namespace

Pools append_pools(Function& to, const Function& from) {
  const Pools pools{appended(to.registers, from.registers),
                    appended(to.operands, from.operands),
                    appended(to.calls, from.calls),
                    appended(to.labels, from.labels),
                    appended(to.target_lists, from.target_lists),
                    appended(to.prototypes, from.prototypes),
                    appended(to.arguments, from.arguments)};
  for (ptx::RegisterRange range : from.register_ranges) {
    range.first += pools.registers;
    to.register_ranges.push_back(std::move(range));
  }
  for (Index i = pools.calls; i < to.calls.size(); ++i)
    if (to.calls[i].prototype != ptx::kNoIndex) to.calls[i].prototype += pools.prototypes;
  for (Index i = pools.lists; i < to.target_lists.size(); ++i)
    for (Index& label : to.target_lists[i]) label += pools.labels;
  each_appended(to, pools, [&](Operand& operand) {  // of a vector, `index` is its first element
    if (operand.reg != ptx::kNoIndex) operand.reg += pools.registers;
    if (operand.second != ptx::kNoIndex) operand.second += pools.registers;
    if (operand.kind == Operand::Kind::vector) operand.index += pools.operands;
    if (operand.kind == Operand::Kind::label) operand.index += pools.labels;
  });
  return pools;
}

void each_appended(Function& to, const Pools& pools, const std::function<void(Operand&)>& visit) {
  for (Index i = pools.operands; i < to.operands.size(); ++i) visit(to.operands[i]);
  for (Index i = pools.calls; i < to.calls.size(); ++i) {
    visit(to.calls[i].callee);
    for (Operand& operand : to.calls[i].arguments) visit(operand);
    for (Operand& operand : to.calls[i].results) visit(operand);
  }
}

std::optional<Index> callee_of(const Function& function, const Instruction& instruction) {
  if (instruction.call == ptx::kNoIndex) return std::nullopt;
  const ptx::Call& call = function.calls[instruction.call];
  if (call.callee.kind != Operand::Kind::symbol) return std::nullopt;
  return call.callee.index;
}

Instruction make_instruction(Function& function, const Instruction& at, Opcode opcode,
                             std::initializer_list<Operand> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.location = at.location;
  instruction.line = at.line;
  instruction.first_operand = static_cast<Index>(function.operands.size());
  instruction.operand_count = static_cast<std::uint16_t>(operands.size());
  function.operands.insert(function.operands.end(), operands);
  return instruction;
}

void splice(Function& function, const Splice& splice) { Host(function, splice).run(); }

}  // namespace xcuda::device::cpu
