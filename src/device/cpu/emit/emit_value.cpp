// Values in the forms of the lattice: reading and writing registers, making vectors, masks, loops over lanes.
#include <bit>

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::Constant;

Emitter::Emitter(const EmitRequest& request)
    : module_(request.module),
      function_(request.function),
      plan_(request.plan),
      graph_(request.plan.graph),
      checks_(request.checks),
      features_(request.features),
      into_(request.into),
      callees_(request.callees),
      lines_(request.lines),
      builder_(request.into.getContext()),
      read_(request.function.registers.size()) {
  for (const ptx::Instruction& instruction : function_.instructions)
    for (ptx::Register reg : accesses_of(function_, instruction).reads) read_.insert(reg);
}

bool Emitter::is_read(const Operand& operand) const {
  return operand.kind == Operand::Kind::reg && operand.reg != ptx::none && read_.contains(operand.reg);
}

// --- Types and constants -------------------------------------------------------------------------------------------

Type* Emitter::element(PtxType type) {
  switch (type) {
    case PtxType::pred: return builder_.getInt1Ty();
    case PtxType::f16: return builder_.getHalfTy();
    case PtxType::bf16: return builder_.getBFloatTy();
    case PtxType::f32: return builder_.getFloatTy();
    case PtxType::f64: return builder_.getDoubleTy();
    default: return builder_.getIntNTy(static_cast<unsigned>(std::max(ptx::bits_of(type), 1)));
  }
}

Value* Emitter::constant(Type* like, std::uint64_t bits) {
  Type* scalar = like->getScalarType();
  const unsigned width = scalar->getPrimitiveSizeInBits();
  const llvm::APInt value(width, bits);
  Constant* constant = scalar->isIntegerTy()
                           ? static_cast<Constant*>(llvm::ConstantInt::get(scalar, value))
                           : llvm::ConstantFP::get(scalar, llvm::APFloat(scalar->getFltSemantics(), value));
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(like))
    return llvm::ConstantVector::getSplat(vector->getElementCount(), constant);
  return constant;
}

Value* Emitter::real(Type* like, double value) { return llvm::ConstantFP::get(like, value); }

Value* Emitter::pattern_vector(Pattern pattern, Type* element, std::int64_t factor) {
  llvm::SmallVector<Constant*, 32> all;
  for (std::int64_t lane : plan_.patterns.lanes(pattern))
    all.push_back(llvm::ConstantInt::get(element, static_cast<std::uint64_t>(lane * factor), true));
  return llvm::ConstantVector::get(all);
}

// --- Forms ---------------------------------------------------------------------------------------------------------

Value* Emitter::base_of(const Held& value, int group) {
  return value.parts[value.form.groups == 1 ? 0 : static_cast<unsigned>(group)];
}

Value* Emitter::group_value(const Held& value, int group) {
  Value* base = base_of(value, group);
  if (value.form.pattern == no_pattern) return base;
  const std::int64_t first =
      plan_.patterns.lanes(value.form.pattern)[static_cast<unsigned>(group * 32 / plan_.shape.groups())];
  return first ? builder_.CreateAdd(base,
                                    llvm::ConstantInt::get(base->getType(), static_cast<std::uint64_t>(first), true))
               : base;
}

Value* Emitter::vector_of(const Held& value) {
  if (value.form.is_varying()) return value.parts[0];
  const int groups = value.form.groups;
  auto spread = [&](unsigned first) -> Value* {
    if (groups == 1) return splat(value.parts[first]);
    Type* type = value.parts[first]->getType();
    if (type->isIntegerTy(1)) {  // a mask of whole groups
      Value* mask = builder_.getInt32(0);
      for (int group = 0; group < groups; ++group) {
        const auto bits = static_cast<std::uint32_t>((std::uint64_t{1} << 32 / groups) - 1) << (group * 32 / groups);
        mask = builder_.CreateOr(mask, builder_.CreateSelect(value.parts[first + static_cast<unsigned>(group)],
                                                             builder_.getInt32(bits), builder_.getInt32(0)));
      }
      return to_vector(mask);
    }
    Value* few = llvm::PoisonValue::get(lanes(type, groups));
    for (int group = 0; group < groups; ++group)
      few = builder_.CreateInsertElement(few, value.parts[first + static_cast<unsigned>(group)],
                                         static_cast<std::uint64_t>(group));
    llvm::SmallVector<int, 32> order;
    for (int lane = 0; lane < 32; ++lane) order.push_back(lane * groups / 32);
    return builder_.CreateShuffleVector(few, order);
  };
  if (value.form.is_permuted()) {
    Type* type = value.parts[0]->getType();
    const Held low = uniform(value.parts[1]);
    llvm::SmallVector<Constant*, 32> numbers;
    for (unsigned lane = 0; lane < 32; ++lane) numbers.push_back(builder_.getInt32(lane));
    Value* lane = builder_.CreateXor(llvm::ConstantVector::get(numbers), splat(low.parts[0]));
    lane = builder_.CreateMul(lane, constant(lane->getType(), value.form.scale));
    return builder_.CreateAdd(builder_.CreateZExtOrTrunc(lane, lanes(type)), splat(value.parts[0]));
  }
  if (value.form.kind == Form::Kind::delayed) {
    Value* index = builder_.CreateAdd(spread(static_cast<unsigned>(groups)),
                                      pattern_vector(value.form.pattern, builder_.getInt32Ty()));
    Value* wide = builder_.CreateZExt(index, lanes(builder_.getInt64Ty()));
    wide = builder_.CreateMul(wide, constant(wide->getType(), value.form.scale));
    return builder_.CreateAdd(wide, spread(0));
  }
  Value* vector = spread(0);
  if (value.form.pattern == no_pattern) return vector;
  return builder_.CreateAdd(vector, pattern_vector(value.form.pattern, vector->getType()->getScalarType()));
}

namespace {

// Bits of one type as another; wider ones are cut, narrower ones extended.
Value* fitted(llvm::IRBuilder<>& b, Value* value, Type* element, bool is_signed) {
  Type* from = value->getType()->getScalarType();
  if (from == element) return value;
  auto shaped = [&](Type* scalar) -> Type* {
    auto* vector = llvm::dyn_cast<llvm::VectorType>(value->getType());
    return vector ? llvm::VectorType::get(scalar, vector->getElementCount()) : scalar;
  };
  const unsigned have = from->getPrimitiveSizeInBits(), want = element->getPrimitiveSizeInBits();
  if (!from->isIntegerTy()) value = b.CreateBitCast(value, shaped(b.getIntNTy(have)));
  if (have != want)
    value = is_signed ? b.CreateSExtOrTrunc(value, shaped(b.getIntNTy(want)))
                      : b.CreateZExtOrTrunc(value, shaped(b.getIntNTy(want)));
  return element->isIntegerTy() ? value : b.CreateBitCast(value, shaped(element));
}

}  // namespace

// --- Registers and operands ----------------------------------------------------------------------------------------

Held Emitter::read_register(ptx::Register reg) {
  Held held{plan_.forms[reg], {}};
  for (Value* slot : registers_[reg])
    held.parts.push_back(builder_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot));
  return held;
}

Held Emitter::read(const Operand& operand, PtxType type) {
  Type* wanted = element(type);
  Held held;
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (operand.reg == ptx::none) {
        held = uniform(llvm::UndefValue::get(wanted));
      } else {
        held = read_register(operand.reg);
        if (operand.negated)
          for (Value*& part : held.parts) part = builder_.CreateNot(part);
      }
      break;
    case Operand::Kind::special: held = special(operand); break;
    case Operand::Kind::integer:
      if (wanted->isIntegerTy(1)) return uniform(builder_.getInt1(operand.bits != 0));
      return uniform(constant(wanted, operand.bits));
    case Operand::Kind::float32:
    case Operand::Kind::float64:
      if (wanted->isFloatingPointTy()) {
        if (operand.kind == Operand::Kind::float32 && wanted->isFloatTy())
          return uniform(constant(wanted, operand.bits));
        return uniform(real(wanted, operand.floating()));
      }
      return uniform(constant(wanted, operand.bits));
    case Operand::Kind::symbol:
    case Operand::Kind::address: held = address_of_symbol(operand); break;
    default: unsupported(*instruction_, "with an operand that has no value");
  }
  if (held.form.kind == Form::Kind::delayed && ptx::bits_of(type) < 64) held = varying(vector_of(held));
  if (held.form.is_permuted() && held.parts[0]->getType() != wanted) held = varying(vector_of(held));
  // The bits of a thread's number as a float: lanes do not differ by a float then.
  if (held.form.is_affine() && held.form.pattern != no_pattern && !wanted->isIntegerTy())
    held = varying(vector_of(held));
  for (Value*& part : held.parts) {
    if (held.form.kind == Form::Kind::delayed || held.form.is_permuted()) break;
    part = fitted(builder_, part, wanted, false);
  }
  return held;
}

// The address of a symbol in its own space, plus the operand's offset.
Held Emitter::address_of_symbol(const Operand& operand) {
  auto at = [&](Value* base) {
    return uniform(builder_.CreateAdd(base, builder_.getInt64(static_cast<std::uint64_t>(operand.offset))));
  };
  switch (operand.symbol_kind) {
    case ptx::SymbolKind::none: return uniform(builder_.getInt64(static_cast<std::uint64_t>(operand.offset)));
    case ptx::SymbolKind::variable:
      if (module_.variables[operand.index].space == ptx::Space::shared)
        return at(builder_.getInt64(shared_offset(operand.symbol())));
      return at(variable_address(operand.index));
    case ptx::SymbolKind::local:
      if (function_.variables[operand.index].space == ptx::Space::shared)
        return at(builder_.getInt64(shared_offset(operand.symbol())));
      {
        const Form form = plan_.form_of(operand);
        Held held = at(builder_.CreateAdd(local_base(), builder_.getInt64(plan_.local.offsets[operand.index])));
        held.form = form;
        if (form.is_varying()) throw Error(ErrorKind::unsupported, "local memory of more than 512 KiB per thread");
        return held;
      }
    case ptx::SymbolKind::parameter:
    case ptx::SymbolKind::result:
      if (parameter_table_) {
        const bool result = operand.symbol_kind == ptx::SymbolKind::result;
        const std::uint64_t index = operand.index + (result ? function_.parameters.size() : 0);
        Value* base = at_entry([&](auto& b) {
          return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), parameter_table_, index));
        });
        Held held = at(base);
        held.form = plan_.form_of(operand);
        return held;
      }
      return at(builder_.CreateAdd(builder_.CreatePtrToInt(parameters(), builder_.getInt64Ty()),
                                   builder_.getInt64(function_.parameters[operand.index].offset)));
    case ptx::SymbolKind::function: return uniform(builder_.getInt64(function_token(operand.index)));
    case ptx::SymbolKind::argument: {
      Held held = at(argument_base(operand.index));
      held.form = plan_.form_of(operand);
      return held;
    }
    default: throw Error(ErrorKind::internal, "a symbol of this kind has no address");
  }
}

void Emitter::write(const Operand& operand, const Held& value, PtxType type) {
  if (operand.kind != Operand::Kind::reg || operand.reg == ptx::none) return;  // `_`
  Type* stored = element(function_.registers[operand.reg]);
  Held held = value;
  if (held.form.kind != Form::Kind::delayed && !held.form.is_permuted())
    for (Value*& part : held.parts) part = fitted(builder_, part, stored, ptx::is_signed(type));
  write_register(operand.reg, held);
}

void Emitter::write_register(ptx::Register reg, Held value) {
  store_register(reg, std::move(value));
  if (plan_.saves.at_once[block_] && plan_.saves.saved.contains(reg)) save_register(reg);
}

void Emitter::store_register(ptx::Register reg, Held value) {
  const Form& form = plan_.forms[reg];
  auto& slots = registers_[reg];
  Value* guard = nullptr;
  if (guarded_) {
    const Held predicate = read_register(instruction_->guard);
    guard = predicate.uniform() ? predicate.parts[0] : vector_of(predicate);
    if (instruction_->guard_negated) guard = builder_.CreateNot(guard);
  }
  auto old = [&](Value* slot) {
    return builder_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot);
  };
  if (form.is_varying()) {
    Value* vector = vector_of(value);
    if (!converged() && plan_.keeps(block_, reg)) vector = builder_.CreateSelect(exec_vector(), vector, old(slots[0]));
    if (guard) vector = builder_.CreateSelect(guard, vector, old(slots[0]));
    builder_.CreateStore(vector, slots[0]);
    return;
  }
  if (value.form.kind != form.kind || value.form.pattern != form.pattern)
    throw Error(ErrorKind::internal, "a register's form does not fit its value");
  auto part = [&](unsigned slot, unsigned index) {
    Value* next = value.parts[index];
    if (guard) next = builder_.CreateSelect(guard, next, old(slots[slot]));
    builder_.CreateStore(next, slots[slot]);
  };
  for (unsigned group = 0; group < form.groups; ++group) {
    const unsigned from = value.form.groups == 1 ? 0 : group;
    part(group, from);
    if (form.kind == Form::Kind::delayed) part(form.groups + group, value.form.groups + from);
    if (form.is_permuted()) part(1, 1);
  }
}

void Emitter::elementwise(const ptx::Instruction& instruction, std::span<const PtxType> types, PtxType result,
                          const Make& make) {
  const auto all = operands(instruction);
  const FormRules::Result ruled = plan_.rules().result(instruction);
  llvm::SmallVector<Held, 4> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) inputs.push_back(read(all[instruction.outputs + i], types[i]));
  llvm::SmallVector<Value*, 4> values(inputs.size());
  if (!ruled.form.is_affine()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = vector_of(inputs[i]);
    write(all[0], varying(make(values)), result);
    return;
  }
  Held made{ruled.form, {}};
  for (int group = 0; group < ruled.form.groups; ++group) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      values[i] = ruled.regroup >> i & 1 ? group_value(inputs[i], group) : base_of(inputs[i], group);
    made.parts.push_back(make(values));
  }
  write(all[0], made, result);
}

Held Emitter::map(std::span<const Held> inputs, const Make& make) {
  int groups = 1;
  for (const Held& input : inputs) {
    const auto form = plan_.rules().grouped(input.form);
    groups = std::max<int>(groups, form ? form->groups : 32);
  }
  llvm::SmallVector<Value*, 8> values(inputs.size());
  if (groups == 32) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = vector_of(inputs[i]);
    return varying(make(values));
  }
  Held made{Form{Form::Kind::affine, static_cast<std::uint8_t>(groups), 0, no_pattern, 1}, {}};
  for (int group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = group_value(inputs[i], group);
    made.parts.push_back(make(values));
  }
  return made;
}

Held Emitter::moved(const Held& value, Value* distance) {
  Held result = value;
  if (value.form.is_varying()) {
    result.parts[0] = builder_.CreateAdd(value.parts[0], splat(distance));
    return result;
  }
  for (int group = 0; group < value.form.groups; ++group) {
    Value*& part = result.parts[static_cast<unsigned>(group)];
    part = builder_.CreateAdd(part, distance);
  }
  return result;
}

// --- Masks ---------------------------------------------------------------------------------------------------------

Value* Emitter::to_mask(Value* vector) { return builder_.CreateBitCast(vector, builder_.getInt32Ty()); }
Value* Emitter::to_vector(Value* mask) { return builder_.CreateBitCast(mask, lanes(builder_.getInt1Ty())); }

Value* Emitter::exec_vector() {
  if (converged()) return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(32), builder_.getTrue());
  return to_vector(exec_);
}

Value* Emitter::active() {
  Value* mask = exec_vector();
  if (!guarded_) return mask;
  Value* guard = vector_of(read_register(instruction_->guard));
  if (instruction_->guard_negated) guard = builder_.CreateNot(guard);
  return converged() ? guard : builder_.CreateAnd(mask, guard);
}

Value* Emitter::active_mask() { return guarded_ ? to_mask(active()) : exec_; }

Value* Emitter::carry() {
  if (!carry_) carry_ = scratch(lanes(builder_.getInt1Ty()), "carry");
  return builder_.CreateLoad(lanes(builder_.getInt1Ty()), carry_);
}

void Emitter::set_carry(Value* carry) {
  Value* old = this->carry();
  builder_.CreateStore(all_active() ? carry : builder_.CreateSelect(active(), carry, old), carry_);
}

// --- Lanes one by one ----------------------------------------------------------------------------------------------

Value* Emitter::scratch(Type* type, const char* name) {
  llvm::IRBuilder<> at(&kernel_->getEntryBlock(), kernel_->getEntryBlock().begin());
  return at.CreateAlloca(type, nullptr, name);
}

Value* Emitter::spill(Value* vector) {
  auto* slot = llvm::cast<llvm::AllocaInst>(scratch(vector->getType(), "lanes"));
  slot->setAlignment(llvm::Align(64));
  builder_.CreateAlignedStore(vector, slot, llvm::Align(64));
  return slot;
}

Value* Emitter::dummy() {
  if (dummy_) return dummy_;
  auto* type = llvm::ArrayType::get(builder_.getInt64Ty(), 8);
  dummy_ = scratch(type, "dummy");
  // Zeros, so that what lanes that are off hold does not change from run to run.
  at_entry([&](auto& b) { return b.CreateStore(llvm::Constant::getNullValue(type), dummy_); });
  return dummy_;
}

Value* Emitter::lane_slot(Value* slot, Type* element, Value* lane) {
  return builder_.CreateInBoundsGEP(element, slot, builder_.CreateZExt(lane, builder_.getInt64Ty()));
}

void Emitter::each_lane(Value* mask, const std::function<void(Value*)>& body) {
  auto* i32 = builder_.getInt32Ty();
  Value* left = scratch(i32, "lanes_left");
  llvm::BasicBlock *test = new_block("lane_test"), *loop = new_block("lane"), *done = new_block("lanes_done");
  builder_.CreateStore(mask, left);
  builder_.CreateBr(test);
  builder_.SetInsertPoint(test);
  Value* rest = builder_.CreateLoad(i32, left);
  builder_.CreateCondBr(builder_.CreateICmpEQ(rest, builder_.getInt32(0)), done, loop);
  builder_.SetInsertPoint(loop);
  body(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, builder_.getTrue()));
  builder_.CreateStore(builder_.CreateAnd(rest, builder_.CreateSub(rest, builder_.getInt32(1))), left);
  builder_.CreateBr(test);
  builder_.SetInsertPoint(done);
}

}  // namespace xcuda::device::cpu
