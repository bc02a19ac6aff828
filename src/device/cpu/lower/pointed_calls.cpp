#include "device/cpu/lower/pointed_calls.hpp"

#include <algorithm>
#include <utility>

#include "device/cpu/lower/called_functions.hpp"
#include "device/cpu/lower/instruction_writer.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Operand;

namespace {

bool is_indirect(const Function& function, const Instruction& instruction) {
  return instruction.call != ptx::kNoIndex && function.calls[instruction.call].callee.kind != Operand::Kind::symbol;
}

// What a pointer may be the address of.
std::vector<Index> candidates(const PointedCalls& calls, const Function& caller, const ptx::Call& call) {
  if (!call.candidates.empty()) return call.candidates;
  std::vector<Index> all;
  std::copy_if(calls.addressed.begin(), calls.addressed.end(), std::back_inserter(all),
               [&](Index index) { return fits(caller, call, calls.module.functions[index]); });
  return all;
}

class Naming : InstructionWriter {
 public:
  Naming(Function& function, const PointedCalls& calls) : InstructionWriter(function), calls_(calls) {}

  void run() {
    rewrite([] {},
            [&](const Instruction& each) {
              const auto targets = is_indirect(function_, each) ? calls_.targets(function_, function_.calls[each.call])
                                                                : std::vector<Index>();
              if (targets.empty())
                function_.instructions.push_back(each);
              else
                name(each, targets);
            });
  }

 private:
  void name(const Instruction& instruction, const std::vector<Index>& targets) {
    at_ = instruction;
    const Index guarded = begin_guard(), over = new_label("over");
    const ptx::Call call = function_.calls[instruction.call];
    for (const Index target : targets) {
      const Operand callee = named(Operand::Kind::symbol, ptx::SymbolKind::function, target);
      const Operand address = new_register(ptx::Type::u64), other = new_register(ptx::Type::pred);
      const Index next = new_label("next");
      move(address, callee);
      compare(ptx::Modifier::ne, other, call.callee, address, ptx::Type::u64);
      jump(other.reg, next);
      const std::vector<Operand> arguments = fresh(call.arguments), results = fresh(call.results);
      for (std::size_t i = 0; i < arguments.size(); ++i) copy(arguments[i], call.arguments[i]);
      add_call(instruction, {callee, results, arguments, ptx::kNoIndex, {}});
      for (std::size_t i = 0; i < results.size(); ++i) copy(call.results[i], results[i]);
      jump(ptx::kNoIndex, over);
      place(next);
    }
    std::vector<Index> others = candidates(calls_, function_, call);
    std::erase_if(others, [&](Index each) { return calls_.chosen[each]; });
    if (others.empty())  // the pointer is wrong
      add_call(instruction, {call.callee, {}, {}, ptx::kNoIndex, {calls_.nothing}});
    else
      add_call(instruction, {call.callee, call.results, call.arguments, call.prototype, std::move(others)});
    place(over);
    end_of_guard(guarded);
  }

  // Each call has its own arguments: those of a function that becomes part of its caller are variables.
  std::vector<Operand> fresh(std::vector<Operand> operands) {
    for (Operand& operand : operands) {
      if (operand.symbol_kind != ptx::SymbolKind::argument) continue;
      const ptx::Parameter parameter = function_.arguments[operand.index];
      operand.index = static_cast<Index>(function_.arguments.size());
      function_.arguments.push_back(parameter);
    }
    return operands;
  }
  void copy(Operand to, Operand from) {
    if (to.symbol_kind != ptx::SymbolKind::argument) return;
    to.kind = from.kind = Operand::Kind::address;
    const ptx::Parameter parameter = function_.arguments[to.index];
    const std::uint32_t most =
        std::clamp(parameter.alignment, static_cast<std::uint32_t>(bytes_of(parameter.type)), 8u);
    for (std::uint32_t at = 0; at < parameter.size;) {
      std::uint32_t bytes = most;
      while (bytes > parameter.size - at) bytes /= 2;
      const ptx::Type type = bytes == 8   ? ptx::Type::b64
                             : bytes == 4 ? ptx::Type::b32
                             : bytes == 2 ? ptx::Type::b16
                                          : ptx::Type::b8;
      const Operand value = new_register(bytes == 1 ? ptx::Type::b16 : type);
      access(add(ptx::Opcode::ld, {value, from}), type);
      access(add(ptx::Opcode::st, {to, value}), type).outputs = 0;
      at += bytes;
      to.offset += bytes;
      from.offset += bytes;
    }
  }
  static Instruction& access(Instruction& instruction, ptx::Type type) {
    typed(instruction, type).space = ptx::Space::param;
    instruction.modifiers[0] = ptx::Modifier::param;
    instruction.modifier_count = instruction.types_at = 1;
    return instruction;
  }

  void add_call(const Instruction& instruction, ptx::Call call) {
    Instruction added = instruction;
    added.guard = ptx::kNoIndex;
    added.call = static_cast<Index>(function_.calls.size());
    function_.calls.push_back(std::move(call));
    function_.instructions.push_back(added);
  }

  const PointedCalls& calls_;
};

}  // namespace

std::vector<Index> PointedCalls::targets(const Function& caller, const ptx::Call& call) const {
  std::vector<Index> all = candidates(*this, caller, call);
  std::erase_if(all, [&](Index each) { return !chosen[each]; });
  return all;
}

bool has_targets(const Function& function, const PointedCalls& calls) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), [&](const Instruction& each) {
    return is_indirect(function, each) && !calls.targets(function, function.calls[each.call]).empty();
  });
}

void name_targets(Function& function, const PointedCalls& calls) { Naming(function, calls).run(); }

}  // namespace xcuda::device::cpu
