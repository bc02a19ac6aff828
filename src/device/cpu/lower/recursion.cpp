#include "device/cpu/lower/recursion.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "device/cpu/lower/called_functions.hpp"
#include "device/cpu/lower/instruction_writer.hpp"
#include "device/cpu/lower/live_registers.hpp"
#include "device/cpu/lower/splicing.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Register;
using ptx::SymbolKind;
using ptx::Type;

namespace {

constexpr std::int64_t kStackBytes = 8192;  // of a thread, for nested calls; eight times as much as a GPU gives unasked
constexpr std::int64_t kSlot = 8;           // bytes for a register

std::int64_t aligned(std::int64_t offset, std::int64_t to) { return (offset + to - 1) / to * to; }

// One call of a function while it runs: bytes from the frame's begin.
struct CallFrame {
  std::vector<std::int64_t> parameters, results;
  std::map<Index, std::int64_t> variables;  // by index into Function::variables
  std::int64_t saved = 0, size = 0;

  explicit CallFrame(const Function& function) {
    const auto take = [&](std::int64_t bytes, std::int64_t alignment) {
      const std::int64_t at = aligned(size, std::max<std::int64_t>(alignment, 8));
      size = at + bytes;
      return at;
    };
    for (const ptx::Parameter& each : function.parameters) parameters.push_back(take(each.size, each.alignment));
    for (const ptx::Parameter& each : function.results) results.push_back(take(each.size, each.alignment));
    for (Index i = 0; i < function.variables.size(); ++i)
      if (const ptx::Variable& each = function.variables[i]; each.space == ptx::Space::local)
        variables[i] = take(static_cast<std::int64_t>(each.size), each.alignment);
    saved = aligned(size, kSlot);
  }
};

// A function that is part of the kernel, with its indices moved by these.
struct Body {
  const Function& function;
  CallFrame frame;
  std::map<std::size_t, std::vector<Register>> kept{};  // by instruction, a call: registers that are read after it
  std::map<Index, std::int64_t> passed{};               // arguments of its calls: bytes from its frame's begin
  Pools pools{};
  Index variables = 0;
  Operand caller{};            // register: which of the calls it returns to
  std::vector<Index> after{};  // labels after the calls
  Index entry = 0, end = 0;    // labels
};

class Entering : InstructionWriter {
 public:
  Entering(Function& kernel, const Recursion& recursion) : InstructionWriter(kernel), recursion_(recursion) {}

  void run() {
    if (!collect()) return;
    const std::size_t operands = function_.operands.size();
    rewrite(
        [&] {
          begin_stack();
          for (auto& [index, body] : bodies_) append(*body);
          for (std::size_t i = 0; i < operands; ++i) relocate(function_.operands[i]);
        },
        [&](const Instruction& each) {
          if (const auto callee = callee_of(function_, each); callee && recursion_.chosen[*callee])
            call(nullptr, {}, *bodies_.at(*callee), each);
          else
            write(each);
        });
    at_ = {};
    add(Opcode::ret, {});
    for (auto& [index, body] : bodies_) write_body(*body);
    for (auto& [index, body] : bodies_) write_end(*body);
  }

 private:
  // Which functions become part of the kernel; whether there are any, and all can.
  bool collect() {
    std::vector<Index> open;
    bool possible = true;
    const auto see = [&](const Function& caller, std::map<Index, std::int64_t>& passed, std::int64_t from) {
      for (const Instruction& each : caller.instructions) {
        const auto callee = callee_of(caller, each);
        if (!callee || !recursion_.chosen[*callee]) continue;
        const Function& function = recursion_.module.functions[*callee];
        const ptx::Call& call = caller.calls[each.call];
        if (!bodies_.contains(*callee)) {
          bodies_.emplace(*callee, std::make_unique<Body>(Body{function, CallFrame(function)}));
          open.push_back(*callee);
        }
        const auto pass = [&](const std::vector<Operand>& given, const std::vector<std::int64_t>& places) {
          possible = possible && given.size() == places.size();
          for (std::size_t i = 0; possible && i < given.size(); ++i) {
            const auto [found, fresh] = passed.emplace(given[i].index, from + places[i]);
            possible = given[i].kind == Operand::Kind::symbol && given[i].symbol_kind == SymbolKind::argument &&
                       given[i].offset == 0 && found->second == from + places[i];
          }
        };
        possible = possible && fits(caller, call, function);
        pass(call.arguments, bodies_.at(*callee)->frame.parameters);
        pass(call.results, bodies_.at(*callee)->frame.results);
      }
    };
    see(function_, passed_, 0);
    while (possible && !open.empty()) {
      Body& body = *bodies_.at(open.back());
      open.pop_back();
      keep_registers(body);
      possible = std::none_of(body.kept.begin(), body.kept.end(), [&](const auto& kept) {
        return std::any_of(kept.second.begin(), kept.second.end(),
                           [&](Register each) { return ptx::bits_of(body.function.registers[each]) > 64; });
      });
      if (possible) see(body.function, body.passed, body.frame.size);
    }
    return possible && !bodies_.empty();
  }

  void keep_registers(Body& body) {
    std::vector<std::size_t> calls;
    for (std::size_t i = 0; i < body.function.instructions.size(); ++i)
      if (const auto callee = callee_of(body.function, body.function.instructions[i]);
          callee && recursion_.chosen[*callee])
        calls.push_back(i);
    auto kept = live_after(body.function, calls);
    std::size_t most = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      most = std::max(most, kept[i].size());
      body.kept.emplace(calls[i], std::move(kept[i]));
    }
    body.frame.size = aligned(body.frame.saved + kSlot * static_cast<std::int64_t>(most + 1), 16);
  }

  void begin_stack() {
    for (const auto& [index, body] : bodies_) room_ += body->frame.size;
    stack_ = new_local("xcuda_call_stack", static_cast<std::uint64_t>(kStackBytes + room_));
    frame_ = new_register(Type::u64);
    move(frame_, stack_);
  }

  void append(Body& body) {
    const Function& from = body.function;
    body.pools = append_pools(function_, from);
    body.variables = static_cast<Index>(function_.variables.size());
    function_.variables.insert(function_.variables.end(), from.variables.begin(), from.variables.end());
    for (const auto& [index, offset] : body.frame.variables) function_.variables[body.variables + index].size = 0;
    each_appended(function_, body.pools, [&](Operand& operand) { take(operand, body); });
    body.caller = new_register(Type::u32);
    body.entry = new_label("recursive");
    body.end = new_label("returned");
  }

  // A symbol of a body as the kernel has it.
  void take(Operand& operand, const Body& body) {
    if (operand.kind != Operand::Kind::symbol && operand.kind != Operand::Kind::address) return;
    switch (operand.symbol_kind) {
      case SymbolKind::parameter: return in_frame(operand, body.frame.parameters[operand.index]);
      case SymbolKind::result: return in_frame(operand, body.frame.results[operand.index]);
      case SymbolKind::argument:
        if (!body.passed.contains(operand.index))
          operand.index += body.pools.arguments;
        else
          in_frame(operand, body.passed.at(operand.index));
        return;
      case SymbolKind::local:
        if (const auto found = body.frame.variables.find(operand.index); found != body.frame.variables.end())
          in_frame(operand, found->second);
        else
          operand.index += body.variables;
        return;
      default: return;
    }
  }
  // An address is [frame + offset]. So is the symbol of a `mov`, until its instruction is written.
  void in_frame(Operand& operand, std::int64_t offset) {
    operand.symbol_kind = SymbolKind::none;
    operand.index = ptx::kNoIndex;
    operand.reg = frame_.reg;
    operand.offset += offset;
  }
  void relocate(Operand& operand) {
    if (operand.symbol_kind != SymbolKind::argument) return;
    if (const auto found = passed_.find(operand.index); found != passed_.end()) in_frame(operand, found->second);
  }

  // The addresses of a frame's variables are computed before it.
  void write(Instruction instruction) {
    for (Index i = 0; i < instruction.operand_count; ++i) {
      const Operand operand = function_.operands[instruction.first_operand + i];
      if (operand.reg != frame_.reg) continue;
      if (operand.kind == Operand::Kind::address) {
        instruction.space = ptx::Space::local;
        for (Modifier& each : instruction.modifiers)
          if (each == Modifier::param || each == Modifier::param_func) each = Modifier::local;
      }
      if (operand.kind != Operand::Kind::symbol) continue;
      at_ = instruction;
      at_.guard = ptx::kNoIndex;
      const Operand address = new_register(Type::u64);
      advance(address, operand.offset);
      function_.operands[instruction.first_operand + i] = address;
    }
    function_.instructions.push_back(instruction);
  }

  void write_body(Body& body) {
    at_ = {};
    place(body.entry);
    const auto& all = body.function.instructions;
    std::vector<Index> moved;
    for (std::size_t i = 0; i < all.size(); ++i) {
      moved.push_back(static_cast<Index>(function_.instructions.size()));
      Instruction each = all[i];
      each.first_operand += body.pools.operands;
      if (each.guarded()) each.guard += body.pools.registers;
      if (const auto callee = callee_of(body.function, all[i]); callee && recursion_.chosen[*callee]) {
        call(&body, body.kept.at(i), *bodies_.at(*callee), each);
        continue;
      }
      if (each.call != ptx::kNoIndex) each.call += body.pools.calls;
      if (each.is(ptx::Trait::leaves) && !each.is(ptx::Trait::ends_thread)) {
        at_ = each;
        jump(each.guard, body.end).guard_negated = each.guard_negated;
        continue;
      }
      write(each);
    }
    moved.push_back(static_cast<Index>(function_.instructions.size()));
    for (std::size_t i = 0; i < body.function.labels.size(); ++i)
      function_.labels[body.pools.labels + i].instruction = moved[body.function.labels[i].instruction];
  }

  void advance(const Operand& to, std::int64_t by) {
    typed(add(Opcode::add, {to, frame_, number(static_cast<std::uint64_t>(by))}), Type::u64);
  }

  // Where a register of the caller is kept in its frame.
  Operand slot(const Body& body, std::size_t index) const {
    Operand operand = reg(frame_.reg);
    operand.kind = Operand::Kind::address;
    operand.offset = body.frame.saved + kSlot * static_cast<std::int64_t>(index);
    return operand;
  }
  static Instruction& local(Instruction& instruction, Type type) {
    typed(instruction, type).space = ptx::Space::local;
    instruction.modifiers[0] = Modifier::local;
    instruction.modifier_count = instruction.types_at = 1;
    return instruction;
  }
  static Type stored(Type type) {
    return ptx::bits_of(type) == 64 ? Type::b64 : ptx::bits_of(type) == 32 ? Type::b32 : Type::b16;
  }
  void save(const Operand& address, Register value) {
    const Type type = function_.registers[value];
    if (type != Type::pred) {
      local(add(Opcode::st, {address, reg(value)}), stored(type)).outputs = 0;
      return;
    }
    const Operand bit = new_register(Type::u32);
    typed(add(Opcode::selp, {bit, number(1), number(0), reg(value)}), Type::b32);
    local(add(Opcode::st, {address, bit}), Type::b32).outputs = 0;
  }
  void restore(const Operand& address, Register value) {
    const Type type = function_.registers[value];
    if (type != Type::pred) {
      local(add(Opcode::ld, {reg(value), address}), stored(type));
      return;
    }
    const Operand bit = new_register(Type::u32);
    local(add(Opcode::ld, {bit, address}), Type::b32);
    compare(Modifier::ne, reg(value), bit, number(0));
  }

  // `from`: the body that calls, or null, the kernel, which has no frame.
  void call(const Body* from, const std::vector<Register>& kept, Body& to, const Instruction& instruction) {
    at_ = instruction;
    const Index over = begin_guard();
    if (from != nullptr) {
      test_depth(from->frame.size + to.frame.size);
      for (std::size_t i = 0; i < kept.size(); ++i) save(slot(*from, i), kept[i] + from->pools.registers);
      save(slot(*from, kept.size()), from->caller.reg);
      advance(frame_, from->frame.size);
    }
    move(to.caller, number(to.after.size()), Type::u32);
    jump(ptx::kNoIndex, to.entry);
    to.after.push_back(new_label("after"));
    place(to.after.back());
    if (from != nullptr) {
      advance(frame_, -from->frame.size);
      for (std::size_t i = 0; i < kept.size(); ++i) restore(slot(*from, i), kept[i] + from->pools.registers);
      restore(slot(*from, kept.size()), from->caller.reg);
    }
    end_of_guard(over);
  }

  // What a function passes on is written before its call.
  void test_depth(std::int64_t bytes) {
    const Operand most = new_register(Type::u64), fits = new_register(Type::pred);
    const Index deeper = new_label("deeper");
    Operand end = stack_;
    end.offset = kStackBytes - bytes;  // room_ is left
    move(most, end);
    compare(Modifier::le, fits, frame_, most, Type::u64);
    jump(fits.reg, deeper);
    add(Opcode::call, {}).call = static_cast<Index>(function_.calls.size());
    const Operand callee = named(Operand::Kind::symbol, SymbolKind::function, recursion_.too_deep);
    function_.calls.push_back({callee, {}, {number(kStackBytes)}, ptx::kNoIndex, {}});
    place(deeper);
  }

  // Where its `ret` go: to what comes after the call that it is of.
  void write_end(Body& body) {
    at_ = body.function.instructions.back();
    at_.guard = ptx::kNoIndex;
    place(body.end);
    const Operand equal = new_register(Type::pred);
    for (std::size_t i = 0; i + 1 < body.after.size(); ++i) {
      compare(Modifier::eq, equal, body.caller, number(i));
      jump(equal.reg, body.after[i]);
    }
    jump(ptx::kNoIndex, body.after.back());
  }

  const Recursion& recursion_;
  std::map<Index, std::unique_ptr<Body>> bodies_;  // by index into Module::functions
  std::map<Index, std::int64_t> passed_;           // the kernel's arguments of calls: bytes from the stack's begin
  std::int64_t room_ = 0;                          // bytes of one call of each
  Operand stack_{}, frame_{};                      // the variable, and the register with the address of what is used
};

}  // namespace

void enter_by_jumps(Function& kernel, const Recursion& recursion) { Entering(kernel, recursion).run(); }

}  // namespace xcuda::device::cpu
