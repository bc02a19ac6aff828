// Fences, sleeping, traps, and calls of the functions that the device provides: vprintf, __assertfail, malloc, free.
#include <array>

#include "device/cpu/emitter.hpp"

namespace xcuda::device::cpu {

using llvm::Value;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using PtxType = ptx::Type;

namespace {

struct Provided {
  std::string_view name;
  Service service;
  int inputs;
  bool returns;
};
constexpr std::array<Provided, 4> provided{{
    {"vprintf", Service::print, 2, true},
    {"__assertfail", Service::assert_failed, 4, false},
    {"malloc", Service::allocate, 1, true},
    {"free", Service::release, 1, false},
}};

}  // namespace

void emit_call(Emitter& e, const Instruction& instruction) {
  auto& b = e.b();
  const ptx::Call& call = e.function().calls[instruction.call];
  const ptx::Function* callee = call.callee.kind == Operand::Kind::symbol ? &e.module().functions[call.callee.index] : nullptr;
  const Provided* found = nullptr;
  if (callee && !callee->defined)
    for (const Provided& each : provided)
      if (each.name == callee->name) found = &each;
  if (!found) e.unsupported(instruction, callee ? "a call of " + callee->name : "a call through a pointer");
  llvm::SmallVector<Value*, 5> inputs;
  for (int i = 0; i < found->inputs; ++i) {
    const Operand& argument = call.arguments[static_cast<std::size_t>(i)];
    if (argument.kind == Operand::Kind::reg) {
      inputs.push_back(e.read_vector(argument, PtxType::b64));
      continue;
    }
    const auto value = e.arguments.find({argument.index, 0});
    if (value == e.arguments.end()) e.unsupported(instruction, "an argument that is written in parts");
    Value* vector = e.vector_of(value->second);
    inputs.push_back(vector);
  }
  Value* done = e.call_service(found->service, inputs, e.active_mask(), instruction);
  if (!found->returns || call.results.empty()) return;
  const Operand& result = call.results[0];
  const Held value = e.varying(e.service_results(done, found->service == Service::print ? b.getInt32Ty() : b.getInt64Ty()));
  if (result.kind == Operand::Kind::reg) e.write(result, value, found->service == Service::print ? PtxType::b32 : PtxType::b64);
  else e.arguments[{result.index, 0}] = value;
}

void emit_system(Emitter& e, const Instruction& instruction) {
  auto& b = e.b();
  const auto operands = e.operands(instruction);
  switch (instruction.opcode) {
    case Opcode::membar: case Opcode::fence:
      b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return;
    case Opcode::nanosleep: {
      Value* inputs[] = {e.read_vector(operands[0], PtxType::b32)};
      e.call_service(Service::sleep, inputs, e.active_mask(), instruction);
      return;
    }
    case Opcode::trap: case Opcode::brkpt: {
      Value* mask = e.active_mask();
      if (!e.guarded()) {
        e.call_service(Service::trap, {}, mask, instruction);
        return;
      }
      e.cold_branch(b.CreateICmpNE(mask, b.getInt32(0)), [&] { e.call_service(Service::trap, {}, mask, instruction); }, "trap");
      return;
    }
    case Opcode::bar: case Opcode::barrier:
      if (instruction.has(ptx::Modifier::warp)) return;  // lanes of a warp run together
      e.unsupported(instruction);
    default: return;  // hints
  }
}

}  // namespace xcuda::device::cpu
