#include "device/cpu/lower/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/cpu/lower/called_functions.hpp"
#include "device/cpu/lower/forms.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::device::cpu {

using ptx::Family;
using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::SymbolKind;
using ptx::Trait;
using ptx::Type;

namespace {

using Why = std::optional<std::string>;

bool has_type(const Instruction& instruction, std::initializer_list<Type> types) {
  return std::any_of(types.begin(), types.end(), [&](Type type) {
    return std::find(instruction.types.begin(), instruction.types.begin() + instruction.type_count, type) !=
           instruction.types.begin() + instruction.type_count;
  });
}

bool takes_operands(const Instruction& instruction) {  // so many of them
  const ptx::InstructionRow& row = ptx::row_of(instruction.opcode);
  return instruction.operand_count >= row.least && instruction.operand_count <= row.most;
}

// The compute capability, times ten, that an instruction which is refused needs; 0: no later one than 8.0.
int capability(const Instruction& instruction) {
  if (const int since = ptx::row_of(instruction.opcode).since) return since;
  const bool later_form =
      (instruction.family() == Family::arithmetic && instruction.operand_count > 3 && !takes_operands(instruction)) ||
      (instruction.family() == Family::warp && ptx::is_floating(instruction.type())) ||
      instruction.has_any({Modifier::m16n16, Modifier::m8n16, Modifier::rs}) || instruction.vector == 8 ||
      has_type(instruction, {Type::f32x2});
  if (instruction.has(Modifier::kind_f8f6f4)) return 120;
  if (later_form) return 100;
  if (has_type(instruction, {Type::e4m3, Type::e5m2, Type::e4m3x2, Type::e5m2x2})) return 89;
  if (has_type(instruction, {Type::u16x2, Type::s16x2})) return 90;
  const bool atomic = instruction.is(Trait::atomic);
  if (atomic && (has_type(instruction, {Type::b128}) || instruction.vector > 1)) return 90;
  if (instruction.family() == Family::convert && has_type(instruction, {Type::tf32})) return 90;
  const bool later_word =
      instruction.has_any({Modifier::cluster, Modifier::shared_cluster, Modifier::bulk, Modifier::expect_tx,
                           Modifier::complete_tx, Modifier::mbarrier_init, Modifier::multicast_cluster}) ||
      (instruction.has(Modifier::async) && !instruction.is(Trait::copies));
  return later_word ? 90 : 0;
}

Why refused_words(const Instruction& instruction) {
  const ptx::InstructionRow& row = ptx::row_of(instruction.opcode);
  for (int i = 0; i < instruction.modifier_count; ++i)
    if (!row.words.contains(instruction.modifiers[i]))
      return fmt::format("`.{}`", ptx::text_of(instruction.modifiers[i]));
  if (!takes_operands(instruction)) return fmt::format("with {} operands", instruction.operand_count);
  return std::nullopt;
}

Why refused_special(const Function& function, const Instruction& instruction) {
  for (const Operand& operand : function.operands_of(instruction)) {
    if (operand.kind != Operand::Kind::special) continue;
    const std::string_view name = ptx::text_of(operand.special);
    if (name.find("cluster") != name.npos) return fmt::format("{} needs compute capability 9.0", name);
  }
  return std::nullopt;
}

// What a kernel or one of the functions that it calls has that cannot run.
class Check {
 public:
  Check(const ptx::Module& module, const Function& kernel)
      : module_(module), kernel_(kernel), in_memory_(arguments_in_memory(module, kernel)) {
    add_written();
  }

  Why of(const Instruction& instruction) const {
    const int needed = capability(instruction);
    const auto later = [&] { return fmt::format("it needs compute capability {}.{}", needed / 10, needed % 10); };
    const auto* row = &ptx::row_of(instruction.opcode);
    if (row->family == Family::none || row->family == Family::sugar) return needed ? later() : "";
    if (Why why = refused_words(instruction)) return needed ? later() : why;
    if (Why why = refused_special(kernel_, instruction)) return why;
    Why why = refused_form(kernel_, instruction);
    if (!why) why = of_function(instruction);
    if (!why && instruction.call != ptx::kNoIndex) why = of_call(kernel_.calls[instruction.call]);
    if (!why) why = of_argument(instruction);
    return why && why->empty() && needed ? later() : why;
  }

 private:
  // A function that is not inlined runs to its end before its caller goes on.
  Why of_function(const Instruction& instruction) const {
    if (kernel_.entry) return std::nullopt;
    if (instruction.is_barrier_of_block()) return "a barrier of the block in a function that is not inlined";
    const auto at = static_cast<std::size_t>(&instruction - kernel_.instructions.data());
    const bool after_end = at > 0 && kernel_.instructions[at - 1].is(Trait::traps | Trait::calls);
    if (instruction.is(Trait::ends_thread) && !after_end)
      return "the end of a thread in a function that is not inlined";
    return std::nullopt;
  }

  Why of_call(const ptx::Call& call) const {
    if (const Provided* provided = provided_by(module_, call)) {
      const auto in_parts = [&](const ProvidedInput::Part& part) {
        if (part.argument >= call.arguments.size()) return true;
        const Operand& argument = call.arguments[part.argument];
        return argument.kind == Operand::Kind::symbol ? !written(argument.index, part.offset) : part.offset > 0;
      };
      for (int i = 0; i < provided->inputs; ++i) {
        const ProvidedInput input = input_of(*provided, i);
        if (in_parts(input.low) || (input.has_high && in_parts(input.high))) return "an argument written in parts";
      }
      return std::nullopt;
    }
    const auto is_narrow = [&](const Operand& operand) {
      return operand.kind == Operand::Kind::reg && operand.reg != ptx::kNoIndex &&
             ptx::bits_of(kernel_.registers[operand.reg]) < 16;
    };
    if (std::any_of(call.arguments.begin(), call.arguments.end(), is_narrow)) return "a predicate as an argument";
    if (std::any_of(call.results.begin(), call.results.end(), is_narrow)) return "a predicate as a result";
    std::vector<Index> callees = call.candidates;
    if (call.callee.kind == Operand::Kind::symbol) callees = {call.callee.index};
    for (const Index index : callees) {
      const Function& callee = module_.functions[index];
      if (!callee.defined) return fmt::format("a call of {}, which is not defined", callee.name);
      if (!fits(kernel_, call, callee)) return fmt::format("a call of {} with the wrong arguments", callee.name);
    }
    return std::nullopt;
  }

  // The results of provided functions are values, which are read as they were written.
  Why of_argument(const Instruction& instruction) const {
    if (instruction.family() != Family::load) return std::nullopt;
    const auto operands = kernel_.operands_of(instruction);
    const Operand& where = operands[1];
    if (where.symbol_kind != SymbolKind::argument || in_memory_[where.index]) return std::nullopt;
    for (int i = 0; i < instruction.vector; ++i)
      if (!written(where.index, where.offset + i * ptx::bytes_of(instruction.type())))
        return "a call's result read in parts";
    return std::nullopt;
  }

  void add_written() {
    for (const ptx::Call& call : kernel_.calls)
      for (const Operand& result : call.results)
        if (result.symbol_kind == SymbolKind::argument) written_.emplace(result.index, 0);
    for (const Instruction& instruction : kernel_.instructions) {
      if (instruction.family() != Family::store) continue;
      const Operand& where = kernel_.operands_of(instruction)[0];
      for (int i = 0; where.symbol_kind == SymbolKind::argument && i < instruction.vector; ++i)
        written_.emplace(where.index, where.offset + i * ptx::bytes_of(instruction.type()));
    }
  }
  bool written(Index argument, std::int64_t offset) const { return written_.contains({argument, offset}); }

  const ptx::Module& module_;
  const Function& kernel_;  // or a function that it calls
  std::vector<bool> in_memory_;
  std::set<std::pair<Index, std::int64_t>> written_;  // arguments of calls: which, and at which byte
};

// The kernel, and what it may call.
std::vector<const Function*> reached(const ptx::Module& module, const Function& kernel) {
  std::vector<const Function*> all{&kernel};
  std::vector<bool> seen(module.functions.size(), false);
  std::optional<std::vector<Index>> addressed;
  const auto add = [&](Index index) {
    const Function& function = module.functions[index];
    if (function.defined && !seen[index]) all.push_back(&function);
    seen[index] = true;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Function& caller = *all[i];
    for (const Instruction& instruction : caller.instructions) {
      if (instruction.call == ptx::kNoIndex) continue;
      const ptx::Call& call = caller.calls[instruction.call];
      if (call.callee.kind == Operand::Kind::symbol) {
        add(call.callee.index);
        continue;
      }
      std::for_each(call.candidates.begin(), call.candidates.end(), add);
      if (!call.candidates.empty()) continue;
      if (!addressed) addressed = addressed_functions(module);
      for (const Index index : *addressed)
        if (fits(caller, call, module.functions[index])) add(index);
    }
  }
  return all;
}

struct Found {
  const Function& function;
  const Instruction& instruction;
  const std::string& why;
};

void each_refused(const ptx::Module& module, const Function& kernel, const std::function<void(const Found&)>& found) {
  for (const Function* function : reached(module, kernel)) {
    const Check check(module, *function);
    for (const Instruction& instruction : function->instructions)
      if (const Why why = check.of(instruction)) found({*function, instruction, *why});
  }
}

void refuse_registers(const Function& function) {
  for (const auto* list : {&function.parameters, &function.results})
    for (const ptx::Parameter& parameter : *list)
      if (parameter.in_register)
        throw Error(ErrorKind::unsupported,
                    "the CPU device cannot run function " + function.name + ", which has a register as its parameter");
}

}  // namespace

void refuse(const ptx::Module& module, const Function& kernel) {
  each_refused(module, kernel, [&](const Found& found) {
    std::string message = fmt::format("the CPU device cannot run `{}`, which kernel {} uses",
                                      ptx::text_of(found.instruction), found.function.name);
    if (!found.why.empty()) message += fmt::format(" ({})", found.why);
    const auto index = static_cast<Index>(&found.instruction - found.function.instructions.data());
    throw Error(ErrorKind::unsupported, message)
        .at(ptx::place_of(module, found.function, index))
        .advise("Run this kernel on a GPU: %device gpu");
  });
  for (const Function* function : reached(module, kernel))
    if (function != &kernel) refuse_registers(*function);
}

std::string refused_text(const ptx::Module& module, const Function& kernel) {
  std::string text;
  each_refused(module, kernel, [&](const Found& found) {
    text += fmt::format("{}: {}\n  {}\n", found.function.name, ptx::text_of(module, found.function, found.instruction),
                        found.why.empty() ? "no reason" : found.why);
  });
  return text;
}

}  // namespace xcuda::device::cpu
