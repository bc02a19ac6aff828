// Calls. What the device provides (vprintf, __assertfail, malloc, free) is a service. A device function is an LLVM
// function of its own, 32 lanes wide like the kernel, that gets the mask of its lanes and a table of where each
// argument and result is: memory on the caller's stack, a piece for each lane, so that pointers into it work.
// Recursion is then recursion. A call through a pointer runs once per distinct function among the lanes.
#include <algorithm>
#include <array>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using ptx::SymbolKind;

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

const Provided* provided_by(const ptx::Module& module, const ptx::Call& call) {
  if (call.callee.kind != Operand::Kind::symbol || module.functions[call.callee.index].defined) return nullptr;
  for (const Provided& each : provided)
    if (each.name == module.functions[call.callee.index].name) return &each;
  return nullptr;
}

void call_provided(Emitter& e, const Instruction& instruction, const ptx::Call& call, const Provided& found) {
  auto& b = e.b();
  llvm::SmallVector<Value*, 5> inputs;
  for (int i = 0; i < found.inputs; ++i) {
    const Operand& argument = call.arguments[static_cast<std::size_t>(i)];
    if (argument.kind != Operand::Kind::symbol) {
      inputs.push_back(e.read_vector(argument, PtxType::b64));
      continue;
    }
    const auto value = e.arguments.find({argument.index, 0});
    if (value == e.arguments.end()) e.unsupported(instruction, "an argument that is written in parts");
    inputs.push_back(e.vector_of(value->second));
  }
  Value* done = e.call_service(found.service, inputs, e.active_mask(), instruction);
  if (!found.returns || call.results.empty()) return;
  const Operand& result = call.results[0];
  const Held value =
      e.varying(e.service_results(done, found.service == Service::print ? b.getInt32Ty() : b.getInt64Ty()));
  if (result.kind == Operand::Kind::reg)
    e.write(result, value, found.service == Service::print ? PtxType::b32 : PtxType::b64);
  else
    e.arguments[{result.index, 0}] = value;
}

std::uint32_t size_of(const Emitter& e, const Operand& argument) {
  if (argument.kind == Operand::Kind::symbol) return e.function().arguments[argument.index].size;
  if (argument.kind == Operand::Kind::reg && argument.reg != ptx::none)
    return static_cast<std::uint32_t>(ptx::bytes_of(e.function().registers[argument.reg]));
  return 0;  // anything
}

bool fits(const Emitter& e, const ptx::Call& call, const ptx::Function& callee) {
  auto same = [&](const std::vector<Operand>& given, const std::vector<ptx::Parameter>& wanted) {
    return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                      [&](const Operand& operand, const ptx::Parameter& parameter) {
                        const std::uint32_t size = size_of(e, operand);
                        return size == 0 || size == parameter.size;
                      });
  };
  return same(call.arguments, callee.parameters) && same(call.results, callee.results);
}

// One call of device functions while it is emitted.
class DeviceCall {
 public:
  DeviceCall(Emitter& e, const Instruction& instruction)
      : e_(e), instruction_(instruction), call_(e.function().calls[instruction.call]) {}

  void emit() {
    auto& b = e_.b();
    make_table();
    Value* mask = e_.active_mask();
    llvm::BasicBlock* on = e_.new_block("called");
    if (e_.guarded()) {
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
      llvm::Type* vector = e_.lanes(e_.element(type));
      e_.write(operand, e_.varying(b.CreateAlignedLoad(vector, slot, llvm::Align(64))), type);
    }
  }

 private:
  struct Result {
    Operand operand;
    Value* slot;
    PtxType type;
  };

  void make_table() {
    auto& b = e_.b();
    const std::size_t count = std::max<std::size_t>(call_.arguments.size() + call_.results.size(), 1);
    table_ = e_.scratch(llvm::ArrayType::get(b.getInt64Ty(), count), "call_table");
    std::uint64_t index = 0;
    auto add = [&](Value* base) { b.CreateStore(base, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table_, index++)); };
    for (const Operand& argument : call_.arguments) {
      if (argument.kind == Operand::Kind::symbol) {
        add(e_.argument_base(argument.index));
        continue;
      }
      const PtxType type = argument.kind == Operand::Kind::reg ? e_.function().registers[argument.reg] : PtxType::b64;
      if (ptx::bits_of(type) < 16) e_.unsupported(instruction_, "a predicate as an argument");
      add(b.CreatePtrToInt(e_.spill(e_.read_vector(argument, bits_type(ptx::bits_of(type)))), b.getInt64Ty()));
    }
    for (const Operand& result : call_.results) {
      if (result.kind == Operand::Kind::symbol) {
        add(e_.argument_base(result.index));
        continue;
      }
      const PtxType type = result.kind == Operand::Kind::reg && result.reg != ptx::none
                               ? e_.function().registers[result.reg]
                               : PtxType::b64;
      if (ptx::bits_of(type) < 16) e_.unsupported(instruction_, "a predicate as a result");
      const PtxType bits = bits_type(ptx::bits_of(type));
      Value* slot = e_.spill(e_.constant(e_.lanes(e_.element(bits)), 0));
      results_.push_back({result, slot, bits});
      add(b.CreatePtrToInt(slot, b.getInt64Ty()));
    }
  }

  void call(ptx::Index index, Value* mask) {
    auto& b = e_.b();
    const ptx::Function& callee = e_.module().functions[index];
    if (!callee.defined) e_.unsupported(instruction_, "a call of " + callee.name + ", which is not defined");
    if (!fits(e_, call_, callee))
      e_.unsupported(instruction_, "a call of " + callee.name + " with other arguments than it has");
    auto* done = b.CreateCall(e_.callees().find(index), {e_.frame(), table_, mask, e_.warp_index()});
    done->setDoesNotThrow();
    llvm::BasicBlock *back = e_.new_block("returned"), *left = e_.new_block("left_in_call");
    b.CreateCondBr(b.CreateICmpEQ(done, b.getInt32(0)), back, left);
    b.SetInsertPoint(left);
    e_.leave_kernel();
    b.SetInsertPoint(back);
  }

  void call_through_pointers(Value* mask, llvm::BasicBlock* on) {
    auto& b = e_.b();
    auto* i32 = b.getInt32Ty();
    auto* i64 = b.getInt64Ty();
    std::vector<ptx::Index> candidates = call_.candidates;
    if (candidates.empty())
      for (ptx::Index index : e_.callees().addressed(e_.module()))
        if (fits(e_, call_, e_.module().functions[index])) candidates.push_back(index);
    Value* tokens = e_.read_vector(call_.callee, PtxType::b64);
    Value* slot = e_.spill(tokens);
    Value* rest_slot = e_.scratch(i32, "lanes_to_call");
    b.CreateStore(mask, rest_slot);
    llvm::BasicBlock *next = e_.new_block("next_callee"), *wrong = e_.new_block("no_function"),
                     *done = e_.new_block("callee_done");
    b.CreateBr(next);
    b.SetInsertPoint(next);
    Value* rest = b.CreateLoad(i32, rest_slot);
    Value* first = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b.getTrue());
    Value* token = b.CreateLoad(i64, e_.lane_slot(slot, i64, first));
    Value* same = b.CreateAnd(e_.to_mask(b.CreateICmpEQ(tokens, e_.splat(token))), rest);
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
    e_.call_service(Service::bad_call, inputs, same, instruction_);
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
  const ptx::Call& call = e.function().calls[instruction.call];
  if (const Provided* found = provided_by(e.module(), call)) return call_provided(e, instruction, call, *found);
  DeviceCall(e, instruction).emit();
}

// --- The functions themselves --------------------------------------------------------------------------------------

llvm::Function* Callees::find(ptx::Index function) {
  llvm::Function*& found = all_[function];
  if (!found) {
    llvm::LLVMContext& context = into_.getContext();
    auto* pointer = llvm::PointerType::get(context, 0);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* type = llvm::FunctionType::get(i32, {pointer, pointer, i32, i32}, false);  // frame, table, mask, warp
    found = llvm::Function::Create(type, llvm::Function::InternalLinkage, "function", into_);
    waiting_.push_back(function);
  }
  return found;
}

std::optional<ptx::Index> Callees::next() {
  if (waiting_.empty()) return std::nullopt;
  const ptx::Index function = waiting_.back();
  waiting_.pop_back();
  return function;
}

std::vector<ptx::Index> Callees::addressed(const ptx::Module& module) {
  if (addressed_) return *addressed_;
  std::vector<bool> taken(module.functions.size(), false);
  for (const ptx::Variable& variable : module.variables)
    for (const ptx::Relocation& relocation : variable.relocations)
      if (relocation.symbol.kind == SymbolKind::function) taken[relocation.symbol.index] = true;
  for (const ptx::Function& function : module.functions)
    for (const Operand& operand : function.operands)
      if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::function)
        taken[operand.index] = true;
  addressed_.emplace();
  for (ptx::Index i = 0; i < taken.size(); ++i)
    if (taken[i] && module.functions[i].defined && !module.functions[i].entry) addressed_->push_back(i);
  return *addressed_;
}

void Emitter::find_argument_memory() {
  argument_memory_.assign(function_.arguments.size(), false);
  argument_bases_.assign(function_.arguments.size(), nullptr);
  for (const ptx::Call& call : function_.calls) {
    if (provided_by(module_, call)) continue;
    for (const auto* list : {&call.arguments, &call.results})
      for (const Operand& operand : *list)
        if (operand.kind == Operand::Kind::symbol && operand.symbol_kind == SymbolKind::argument)
          argument_memory_[operand.index] = true;
  }
}

llvm::Value* Emitter::argument_base(ptx::Index argument) {
  Value*& base = argument_bases_[argument];
  if (!base) {
    const std::uint64_t size = std::max<std::uint64_t>(function_.arguments[argument].size, 1);
    auto* slot =
        llvm::cast<llvm::AllocaInst>(scratch(llvm::ArrayType::get(builder_.getInt8Ty(), 32 * size), "argument"));
    slot->setAlignment(llvm::Align(64));
    base = at_entry([&](auto& b) { return b.CreatePtrToInt(slot, b.getInt64Ty()); });
  }
  return base;
}

void Emitter::emit_function(KernelCode& code, llvm::Function* into) {
  code_ = &code;
  find_argument_memory();
  for (const ptx::Instruction& instruction : function_.instructions) {
    if (graph_.barriers() && instruction.is(ptx::Trait::barrier))
      unsupported(instruction, "a barrier of the block in a function that is not inlined");
    const ptx::Index index = index_of(instruction);
    const bool after_end = index > 0 && function_.instructions[index - 1].is(ptx::Trait::traps | ptx::Trait::calls);
    if (instruction.is(ptx::Trait::ends_thread) && !after_end)
      unsupported(instruction, "the end of a thread in a function that is not inlined");
  }
  for (const auto* list : {&function_.parameters, &function_.results})
    for (const ptx::Parameter& parameter : *list)
      if (parameter.in_register)
        throw Error(ErrorKind::unsupported,
                    "the CPU device cannot run function " + function_.name + ", whose parameter is a register");
  shared_ = shared_layout(module_, function_);
  assign_slots();
  make_function_skeleton(into);
  emit_blocks();
}

void Emitter::make_function_skeleton(llvm::Function* into) {
  auto* i32 = builder_.getInt32Ty();
  kernel_ = add_attributes(into);
  if (lines_) lines_->begin(kernel_);
  frame_ = kernel_->getArg(0);
  parameter_table_ = kernel_->getArg(1);
  warp_ = kernel_->getArg(3);
  entry_ = new_block("entry");
  warp_head_ = new_block("warp");
  warp_next_ = new_block("return");
  left_ = new_block("left");
  builder_.SetInsertPoint(entry_);
  make_registers();
  launch_ = frame_pointer(offsetof(BlockFrame, launch));
  block_x_ = builder_.CreateLoad(
      i32, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, block_index)));
  builder_.CreateBr(warp_head_);
  builder_.SetInsertPoint(warp_next_);
  builder_.CreateRet(builder_.getInt32(0));
  builder_.SetInsertPoint(left_);
  builder_.CreateRet(builder_.getInt32(1));

  llvm::BasicBlock* start = new_block("start");
  builder_.SetInsertPoint(warp_head_);
  copies_.resize(graph_.blocks.size());
  for (BlockIndex i = 0; i < graph_.blocks.size(); ++i) {
    if (!plan_.reached[i]) continue;
    copies_[i].converged = new_block("converged");
    copies_[i].divergent = new_block("divergent");
    copies_[i].pending = scratch(i32, "pending");
    if (graph_.meetings.contains(i)) copies_[i].waiting = scratch(i32, "waiting");
  }
  builder_.CreateBr(start);
  builder_.SetInsertPoint(start);
  if (!function_.instructions.empty()) {
    exec_ = kernel_->getArg(2);
    Value* here =
        builder_.CreateIntrinsic(llvm::Intrinsic::frameaddress, {builder_.getPtrTy()}, {builder_.getInt32(0)});
    Value* limit = builder_.CreateLoad(
        builder_.getInt64Ty(),
        builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offsetof(BlockFrame, stack_limit)));
    Value* over = builder_.CreateICmpULT(builder_.CreatePtrToInt(here, builder_.getInt64Ty()), limit);
    cold_branch(
        over, [&] { call_service(Service::stack_overflow, {}, exec_, function_.instructions[0]); }, "stack_overflow");
  }
  start_lanes(kernel_->getArg(2));
}

}  // namespace xcuda::device::cpu
