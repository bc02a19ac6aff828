// Calls. A function that the device provides (vprintf, __assertfail, malloc, free) is a service, or for host code a
// function of the host's library, which is called for each lane. A device function is an LLVM function of its own, 32
// lanes wide like the kernel. It gets the mask of its lanes and a table of where each argument and result is: memory on
// the caller's stack, a piece for each lane, so that pointers into it work. Recursion is then recursion. A call through
// a pointer runs once per distinct function among the lanes.
#include <algorithm>
#include <array>

#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/lower/called_functions.hpp"

namespace xcuda::device::cpu {

using ptx::SymbolKind;

namespace {

Value* part_of_argument(Emitter& e, const Instruction& instruction, const ProvidedInput::Part& part) {
  const Operand& argument = e.function.calls[instruction.call].arguments[part.argument];
  if (argument.kind != Operand::Kind::symbol) return e.registers.read_vector(argument, PtxType::b64);
  const auto value = e.arguments.values.find({argument.index, part.offset});
  if (value == e.arguments.values.end()) e.not_refused(instruction);
  return e.values.vector_of(value->second);
}

Value* provided_input(Emitter& e, const Instruction& instruction, const ProvidedInput& input) {
  Value* low = part_of_argument(e, instruction, input.low);
  if (!input.has_high) return low;
  llvm::Type* wide = e.values.lanes(e.b.getInt64Ty());
  Value* high = e.b.CreateZExtOrTrunc(part_of_argument(e, instruction, input.high), wide);
  return e.b.CreateOr(e.b.CreateZExtOrTrunc(low, wide), e.b.CreateShl(high, 32));
}

void call_provided(Emitter& e, const Instruction& instruction, const ptx::Call& call, const Provided& found) {
  llvm::SmallVector<Value*, 5> inputs;
  for (int i = 0; i < found.inputs; ++i) inputs.push_back(provided_input(e, instruction, input_of(found, i)));
  const std::uint32_t site = e.services.site(instruction);
  e.services.site_at(site).runtime_call = found.runtime_call;
  Value* done = e.services.call(found.service, inputs, e.masks.active_mask(), site);
  if (found.result_bits == 0 || call.results.empty()) return;
  const Operand& result = call.results[0];
  const Held value = e.values.varying(e.services.results(done, e.values.integer(found.result_bits)));
  if (result.kind == Operand::Kind::reg)
    e.registers.write(result, value, bits_type(found.result_bits));
  else
    e.arguments.values[{result.index, 0}] = value;
}

PtxType type_of(Number number) {
  switch (number) {
    case Number::int32: return PtxType::s32;
    case Number::int64: return PtxType::s64;
    case Number::float32: return PtxType::f32;
    default: return PtxType::f64;
  }
}

Held host_input(Emitter& e, const Instruction& instruction, std::size_t index, Number type) {
  const Operand& argument = e.function.calls[instruction.call].arguments[index];
  if (argument.kind != Operand::Kind::symbol) return e.registers.read(argument, type_of(type));
  const auto found = e.arguments.values.find({argument.index, 0});
  if (found == e.arguments.values.end()) e.not_refused(instruction);
  return found->second;
}

// It only computes: calls may be moved and left out, and lanes that are off may make them, too.
llvm::FunctionCallee host_callee(Emitter& e, const HostFunction& function) {
  llvm::SmallVector<llvm::Type*, 2> inputs;
  for (std::size_t i = 0; i < function.input_count(); ++i)
    inputs.push_back(e.values.element(type_of(function.inputs[i])));
  auto* type = llvm::FunctionType::get(e.values.element(type_of(function.result)), inputs, false);
  auto callee = e.into.getOrInsertFunction(function.symbol, type);
  auto* declared = llvm::cast<llvm::Function>(callee.getCallee());
  declared->setDoesNotAccessMemory();
  declared->setDoesNotThrow();
  declared->setWillReturn();
  return callee;
}

void call_host(Emitter& e, const Instruction& instruction, const ptx::Call& call, const HostFunction& function) {
  auto& b = e.b;
  auto callee = host_callee(e, function);
  llvm::SmallVector<Value*, 2> inputs;
  for (std::size_t i = 0; i < function.input_count(); ++i) {
    const Held held = host_input(e, instruction, i, function.inputs[i]);
    inputs.push_back(e.one_thread() && held.uniform() ? held.parts[0] : e.values.vector_of(held));
  }
  const auto call_lane = [&](std::uint64_t lane) {
    llvm::SmallVector<Value*, 2> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Value* value = inputs[i]->getType()->isVectorTy() ? b.CreateExtractElement(inputs[i], lane) : inputs[i];
      values.push_back(b.CreateBitCast(value, callee.getFunctionType()->getParamType(static_cast<unsigned>(i))));
    }
    return b.CreateCall(callee, values);
  };
  if (call.results.empty()) return;
  Held result;
  if (e.one_thread()) {
    result = e.values.uniform(call_lane(0));
  } else {
    Value* lanes = llvm::PoisonValue::get(e.values.lanes(callee.getFunctionType()->getReturnType()));
    for (std::uint64_t lane = 0; lane < kLanesPerWarp; ++lane)
      lanes = b.CreateInsertElement(lanes, call_lane(lane), lane);
    result = e.values.varying(lanes);
  }
  const Operand& to = call.results[0];
  if (to.kind == Operand::Kind::reg)
    e.registers.write(to, result, type_of(function.result));
  else
    e.arguments.values[{to.index, 0}] = result;
}

// One call of device functions while it is emitted.
class DeviceCall {
 public:
  DeviceCall(Emitter& e, const Instruction& instruction)
      : e_(e), instruction_(instruction), call_(e.function.calls[instruction.call]) {}

  void emit() {
    auto& b = e_.b;
    make_table();
    Value* mask = e_.masks.active_mask();
    llvm::BasicBlock* on = e_.new_block("called");
    if (e_.guarded) {
      llvm::BasicBlock* some = e_.new_block("some_lane");
      b.CreateCondBr(b.CreateICmpNE(mask, b.getInt32(0)), some, on);
      b.SetInsertPoint(some);
    }
    if (call_.callee.kind == Operand::Kind::symbol) {
      call(call_.callee.index, mask);
      b.CreateBr(on);
    } else {
      call_through_pointers(mask, on);
    }
    b.SetInsertPoint(on);
    for (const auto& [operand, slot, type] : results_) {
      llvm::Type* vector = e_.values.lanes(e_.values.element(type));
      e_.registers.write(operand, e_.values.varying(b.CreateAlignedLoad(vector, slot, llvm::Align(64))), type);
    }
  }

 private:
  struct Result {
    Operand operand;
    Value* slot;
    PtxType type;
  };

  void make_table() {
    auto& b = e_.b;
    const std::size_t count = std::max<std::size_t>(call_.arguments.size() + call_.results.size(), 1);
    table_ = e_.slots.scratch(llvm::ArrayType::get(b.getInt64Ty(), count), "call_table");
    std::uint64_t index = 0;
    auto add = [&](Value* base) { b.CreateStore(base, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table_, index++)); };
    for (const Operand& argument : call_.arguments) {
      if (argument.kind == Operand::Kind::symbol) {
        add(e_.arguments.base(argument.index));
        continue;
      }
      const PtxType type = argument.kind == Operand::Kind::reg ? e_.function.registers[argument.reg] : PtxType::b64;
      add(b.CreatePtrToInt(e_.slots.spill(e_.registers.read_vector(argument, bits_type(ptx::bits_of(type)))),
                           b.getInt64Ty()));
    }
    for (const Operand& result : call_.results) {
      if (result.kind == Operand::Kind::symbol) {
        add(e_.arguments.base(result.index));
        continue;
      }
      const PtxType type = result.kind == Operand::Kind::reg && result.reg != ptx::kNoIndex
                               ? e_.function.registers[result.reg]
                               : PtxType::b64;
      const PtxType bits = bits_type(ptx::bits_of(type));
      Value* slot = e_.slots.spill(e_.values.constant(e_.values.lanes(e_.values.element(bits)), 0));
      results_.push_back({result, slot, bits});
      add(b.CreatePtrToInt(slot, b.getInt64Ty()));
    }
  }

  void call(ptx::Index index, Value* mask) {
    auto& b = e_.b;
    auto* done = b.CreateCall(e_.callees.find(index), {e_.frame, table_, mask, e_.warp});
    done->setDoesNotThrow();
    llvm::BasicBlock *back = e_.new_block("returned"), *left = e_.new_block("left_in_call");
    b.CreateCondBr(b.CreateICmpEQ(done, b.getInt32(0)), back, left);
    b.SetInsertPoint(left);
    e_.leave_kernel();
    b.SetInsertPoint(back);
  }

  void call_through_pointers(Value* mask, llvm::BasicBlock* on) {
    auto& b = e_.b;
    auto* i32 = b.getInt32Ty();
    auto* i64 = b.getInt64Ty();
    std::vector<ptx::Index> candidates = call_.candidates;
    if (candidates.empty())
      for (ptx::Index index : e_.callees.addressed(e_.module))
        if (fits(e_.function, call_, e_.module.functions[index])) candidates.push_back(index);
    Value* tokens = e_.registers.read_vector(call_.callee, PtxType::b64);
    Value* slot = e_.slots.spill(tokens);
    Value* rest_slot = e_.slots.scratch(i32, "lanes_to_call");
    b.CreateStore(mask, rest_slot);
    llvm::BasicBlock *next = e_.new_block("next_callee"), *wrong = e_.new_block("no_function"),
                     *done = e_.new_block("callee_done");
    b.CreateBr(next);
    b.SetInsertPoint(next);
    Value* rest = b.CreateLoad(i32, rest_slot);
    Value* first = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b.getTrue());
    Value* token = b.CreateLoad(i64, e_.slots.lane_slot(slot, i64, first));
    Value* same = b.CreateAnd(e_.values.to_mask(b.CreateICmpEQ(tokens, e_.values.splat(token))), rest);
    auto* choice = b.CreateSwitch(token, wrong, static_cast<unsigned>(candidates.size()));
    for (ptx::Index index : candidates) {
      llvm::BasicBlock* one = e_.new_block("callee");
      choice->addCase(b.getInt64(function_token(index)), one);
      b.SetInsertPoint(one);
      call(index, same);
      b.CreateBr(done);
    }
    b.SetInsertPoint(wrong);
    Value* inputs[] = {tokens};
    e_.services.call(Service::bad_call, inputs, same, instruction_);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    rest = b.CreateAnd(rest, b.CreateNot(same));
    b.CreateStore(rest, rest_slot);
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), next, on);
  }

  Emitter& e_;
  const Instruction& instruction_;
  const ptx::Call& call_;
  Value* table_ = nullptr;
  llvm::SmallVector<Result, 1> results_;
};

}  // namespace

void emit_call(Emitter& e, const Instruction& instruction) {
  const ptx::Call& call = e.function.calls[instruction.call];
  if (const Provided* found = provided_by(e.module, call))
    return found->host != nullptr ? call_host(e, instruction, call, *found->host)
                                  : call_provided(e, instruction, call, *found);
  DeviceCall(e, instruction).emit();
}

}  // namespace xcuda::device::cpu
