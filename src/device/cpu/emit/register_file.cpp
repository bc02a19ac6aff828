#include <array>
#include <map>

#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/plan/spans.hpp"

namespace xcuda::device::cpu {

namespace {

// Bits of one type as another; wider ones are cut, narrower ones extended.
Value* fitted(llvm::IRBuilder<>& b, Value* value, Type* element, ptx::Signedness sign) {
  Type* from = value->getType()->getScalarType();
  if (from == element) return value;
  auto shaped = [&](Type* scalar) -> Type* {
    auto* vector = llvm::dyn_cast<llvm::VectorType>(value->getType());
    return vector ? llvm::VectorType::get(scalar, vector->getElementCount()) : scalar;
  };
  const unsigned have = from->getPrimitiveSizeInBits(), want = element->getPrimitiveSizeInBits();
  if (!from->isIntegerTy()) value = b.CreateBitCast(value, shaped(b.getIntNTy(have)));
  if (have != want)
    value = is_signed(sign) ? b.CreateSExtOrTrunc(value, shaped(b.getIntNTy(want)))
                            : b.CreateZExtOrTrunc(value, shaped(b.getIntNTy(want)));
  return element->isIntegerTy() ? value : b.CreateBitCast(value, shaped(element));
}

// The number of Held::parts: a base per group, then the other parts of the form.
std::size_t parts_of(const RegisterForm& form) {
  if (form.is_varying()) return 1;
  return form.kind == RegisterForm::Kind::delayed ? 2u * form.groups : form.groups + (form.is_permuted() ? 1u : 0u);
}

}  // namespace

RegisterFile::RegisterFile(Emitter& e) : e_(e), read_(e.function.registers.size()) {
  for (const ptx::Instruction& instruction : e.function.instructions)
    for (ptx::Register reg : accesses_of(e.function, instruction).reads) read_.insert(reg);
}

void RegisterFile::make() {
  slots_.resize(e_.function.registers.size());
  live_ = BitSet(slots_.size());
  for (const BitSet& live : e_.graph.live) live_.insert(live);
  const auto type_of = [&](ptx::Register reg) {
    llvm::Type* type = e_.values.element(e_.function.registers[reg]);
    return e_.plan.forms[reg].is_varying() ? e_.values.lanes(type) : type;
  };
  // Those that no lanes need at the same time share slots, if they have the same; but not what converged clones know.
  std::vector<std::uint64_t> kinds(slots_.size());
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> all_kinds;
  live_.each([&](ptx::Register reg) {
    const RegisterForm& form = e_.plan.forms[reg];
    const std::array<std::uint64_t, 3> kind{reinterpret_cast<std::uint64_t>(type_of(reg)), form.groups, parts_of(form)};
    kinds[reg] = e_.plan.shared() ? reg : all_kinds.try_emplace(kind, all_kinds.size()).first->second;
  });
  const std::vector<std::uint32_t> places = share_places(register_spans(e_.plan), kinds);
  std::vector<Slots> made(slots_.size());
  live_.each([&](ptx::Register reg) {
    const RegisterForm& form = e_.plan.forms[reg];
    Slots& slots = made[places[reg]];
    if (slots.empty())
      for (std::size_t i = 0; i < parts_of(form); ++i)
        slots.push_back(e_.b.CreateAlloca(i < form.groups ? type_of(reg) : e_.b.getInt32Ty()));
    slots_[reg] = slots;
  });
  if (e_.plan.shared()) find_known();
}

// On every way from where they are loaded or written, without a block at which lanes that diverged may join.
void RegisterFile::find_known() {
  const std::vector<FlowBlock>& blocks = e_.graph.blocks;
  std::vector<BitSet> touched(blocks.size(), BitSet(slots_.size()));
  known_ = e_.graph.live;
  for (BlockIndex b = 0; b < blocks.size(); ++b) {
    if (b == 0 || e_.plan.gathers(b)) known_[b] = BitSet(slots_.size());
    for (ptx::Index i = blocks[b].begin; i < blocks[b].end; ++i) {
      const Accesses accesses = accesses_of(e_.function, e_.function.instructions[i]);
      for (const auto* registers : {&accesses.reads, &accesses.writes})
        for (const ptx::Register reg : *registers) touched[b].insert(reg);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockIndex b = 0; b < blocks.size(); ++b) {
      if (!e_.plan.reached[b]) continue;
      BitSet known = known_[b];
      known.insert(touched[b]);
      for (const BlockIndex next : {blocks[b].next, blocks[b].taken}) {
        if (next == kNoBlock) continue;
        BitSet both = common(known_[next], known);
        changed |= both != known_[next];
        known_[next] = std::move(both);
      }
    }
  }
}

void RegisterFile::begin_block() {
  top_ = e_.b.GetInsertBlock();
  last_load_ = nullptr;
  values_.clear();
  saves_.clear();
  written_ = BitSet(e_.function.registers.size());
}

void RegisterFile::flush() {
  if (in_memory() && e_.clone == Clone::converged) hand_on();
  written_.each([&](ptx::Register reg) {
    if (!read_elsewhere(reg)) return;
    const Slots& values = values_.at(reg);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i]) put(reg, i, values[i]);
  });
}

bool RegisterFile::saves_at_once(ptx::Register reg) const {
  return e_.clone != Clone::lane && !in_memory() && e_.plan.saves.at_once[e_.block] &&
         e_.plan.saves.saved.contains(reg) && read_elsewhere(reg);
}

// What the converged clones of the next blocks know of the registers.
void RegisterFile::hand_on() {
  const FlowBlock& block = e_.graph.blocks[e_.block];
  BitSet wanted(slots_.size());
  for (const BlockIndex next : {block.next, block.taken})
    if (next != kNoBlock) wanted.insert(known_[next]);
  wanted.each([&](ptx::Register reg) {
    if (known_[e_.block].contains(reg) && !written_.contains(reg)) return;
    for (std::size_t i = 0; i < slots_[reg].size(); ++i) e_.b.CreateStore(part(reg, i), slots_[reg][i]);
  });
}

// Between blocks registers are where they are saved. Lanes that diverged have nothing else, so that no edge between
// them carries values.
bool RegisterFile::in_memory() const { return e_.plan.shared() && e_.clone != Clone::lane; }

void RegisterFile::put(ptx::Register reg, std::size_t index, Value* value) {
  if (in_memory())
    e_.saves.store(reg, index, value);
  else
    e_.b.CreateStore(value, slots_[reg][index]);
}

void RegisterFile::end_block() { top_ = nullptr; }

// By a block that runs after this one, with these lanes or others.
bool RegisterFile::read_elsewhere(ptx::Register reg) const {
  if (!live_.contains(reg) || slots_[reg].empty()) return false;
  if (e_.clone == Clone::divergent && e_.plan.keeps(e_.block, reg)) return true;
  const FlowBlock& block = e_.graph.blocks[e_.block];
  for (const BlockIndex next : {block.next, block.taken})
    if (next != kNoBlock && e_.graph.live[next].contains(reg)) return true;
  return false;
}

// As read_register() gives them.
llvm::Value* RegisterFile::part(ptx::Register reg, std::size_t index) {
  if (const Operand* number = e_.graph.numbers[reg]) return read(*number, e_.function.registers[reg]).parts[0];
  auto load = [&] {
    Value* slot = slots_[reg][index];
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType();
    const bool known = e_.clone == Clone::converged && !known_.empty() && known_[e_.block].contains(reg);
    return in_memory() && !known ? e_.saves.load(reg, index, type) : e_.b.CreateLoad(type, slot);
  };
  if (!top_) return load();
  Slots& values = values_[reg];
  values.resize(std::max(values.size(), std::max(index + 1, slots_[reg].size())));
  if (!values[index]) {
    const llvm::IRBuilder<>::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(top_, last_load_ ? std::next(last_load_->getIterator()) : top_->getFirstInsertionPt());
    e_.b.SetCurrentDebugLocation({});
    values[index] = load();
    last_load_ = llvm::cast<llvm::Instruction>(values[index]);
  }
  return values[index];
}

void RegisterFile::set_part(ptx::Register reg, std::size_t index, Value* value) {
  Slots& values = values_[reg];
  values.resize(std::max(values.size(), std::max(index + 1, slots_[reg].size())));
  values[index] = value;
  written_.insert(reg);
  if (!saves_at_once(reg)) return;
  // Not at the end of the block: up to there the value would need a register of the processor.
  llvm::StoreInst*& save = saves_[{reg, index}];
  if (save) save->eraseFromParent();  // of a value that no other block reads
  save = e_.saves.store(reg, index, value);
}

void RegisterFile::clear(const BitSet& registers) {
  registers.each([&](ptx::Register reg) {
    for (std::size_t i = 0; i < slots_[reg].size(); ++i)
      put(reg, i, llvm::Constant::getNullValue(llvm::cast<llvm::AllocaInst>(slots_[reg][i])->getAllocatedType()));
  });
}

bool RegisterFile::is_read(const Operand& operand) const {
  return operand.kind == Operand::Kind::reg && operand.reg != ptx::kNoIndex && read_.contains(operand.reg);
}

Held RegisterFile::read_register(ptx::Register reg) {
  Held held{e_.plan.forms[reg], {}};
  for (std::size_t i = 0; i < parts_of(held.form); ++i) held.parts.push_back(part(reg, i));
  return held;
}

Held RegisterFile::read(const Operand& operand, PtxType type) {
  Type* wanted = e_.values.element(type);
  Held held;
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (operand.reg == ptx::kNoIndex) {
        held = e_.values.uniform(llvm::UndefValue::get(wanted));
      } else {
        held = read_register(operand.reg);
        if (operand.negated)
          for (Value*& part : held.parts) part = e_.b.CreateNot(part);
      }
      break;
    case Operand::Kind::special: held = e_.context.special(operand); break;
    case Operand::Kind::integer:
      if (wanted->isIntegerTy(1)) return e_.values.uniform(e_.b.getInt1(operand.bits != 0));
      return e_.values.uniform(e_.values.constant(wanted, operand.bits));
    case Operand::Kind::float32:
    case Operand::Kind::float64:
      if (wanted->isFloatingPointTy()) {
        if (operand.kind == Operand::Kind::float32 && wanted->isFloatTy())
          return e_.values.uniform(e_.values.constant(wanted, operand.bits));
        return e_.values.uniform(e_.values.real(wanted, operand.floating()));
      }
      return e_.values.uniform(e_.values.constant(wanted, operand.bits));
    case Operand::Kind::symbol:
    case Operand::Kind::address: held = address_of_symbol(operand); break;
    default: e_.not_refused(*e_.instruction);
  }
  if (held.form.kind == RegisterForm::Kind::delayed && ptx::bits_of(type) < 64)
    held = e_.values.varying(e_.values.vector_of(held));
  if (held.form.is_permuted() && held.parts[0]->getType() != wanted)
    held = e_.values.varying(e_.values.vector_of(held));
  // The bits of a thread's number as a float: lanes do not differ by a float then.
  if (held.form.is_affine() && held.form.pattern != kNoPattern && !wanted->isIntegerTy())
    held = e_.values.varying(e_.values.vector_of(held));
  for (Value*& part : held.parts) {
    if (held.form.kind == RegisterForm::Kind::delayed || held.form.is_permuted()) break;
    part = fitted(e_.b, part, wanted, ptx::Signedness::unsigned_);
  }
  return held;
}

llvm::Value* RegisterFile::read_vector(const Operand& operand, PtxType type) {
  return e_.values.vector_of(read(operand, type));
}

// The address of a symbol in its own space, plus the operand's offset.
Held RegisterFile::address_of_symbol(const Operand& operand) {
  auto at = [&](Value* base) {
    return e_.values.uniform(e_.b.CreateAdd(base, e_.b.getInt64(static_cast<std::uint64_t>(operand.offset))));
  };
  switch (operand.symbol_kind) {
    case ptx::SymbolKind::none: return e_.values.uniform(e_.b.getInt64(static_cast<std::uint64_t>(operand.offset)));
    case ptx::SymbolKind::variable:
      if (e_.module.variables[operand.index].space == ptx::Space::shared)
        return at(e_.b.getInt64(e_.context.shared_offset(operand.symbol())));
      return at(e_.context.variable_address(operand.index));
    case ptx::SymbolKind::local:
      if (e_.function.variables[operand.index].space == ptx::Space::shared)
        return at(e_.b.getInt64(e_.context.shared_offset(operand.symbol())));
      {
        const RegisterForm form = e_.plan.form_of(operand);
        Held held = at(e_.b.CreateAdd(e_.context.local_base(), e_.b.getInt64(e_.plan.local.offsets[operand.index])));
        held.form = form;
        if (form.is_varying()) throw Error(ErrorKind::unsupported, "local memory of more than 512 KiB per thread");
        return held;
      }
    case ptx::SymbolKind::parameter:
    case ptx::SymbolKind::result:
      if (e_.parameter_table) {
        const bool result = operand.symbol_kind == ptx::SymbolKind::result;
        const std::uint64_t index = operand.index + (result ? e_.function.parameters.size() : 0);
        Value* base = e_.at_entry([&](auto& b) {
          return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), e_.parameter_table, index));
        });
        Held held = at(base);
        held.form = e_.plan.form_of(operand);
        return held;
      }
      return at(e_.b.CreateAdd(e_.b.CreatePtrToInt(e_.context.parameters(), e_.b.getInt64Ty()),
                               e_.b.getInt64(e_.function.parameters[operand.index].offset)));
    case ptx::SymbolKind::function: return e_.values.uniform(e_.b.getInt64(function_token(operand.index)));
    case ptx::SymbolKind::argument: {
      Held held = at(e_.arguments.base(operand.index));
      held.form = e_.plan.form_of(operand);
      return held;
    }
    default: throw Error(ErrorKind::internal, "a symbol of this kind has no address");
  }
}

void RegisterFile::write(const Operand& operand, const Held& value, PtxType type) {
  if (operand.kind != Operand::Kind::reg || operand.reg == ptx::kNoIndex) return;  // `_`
  Type* stored = e_.values.element(e_.function.registers[operand.reg]);
  Held held = value;
  if (e_.one_thread() && !held.uniform())
    held = e_.values.uniform(e_.b.CreateExtractElement(e_.values.vector_of(held), std::uint64_t{0}));
  if (held.form.kind != RegisterForm::Kind::delayed && !held.form.is_permuted())
    for (Value*& part : held.parts) part = fitted(e_.b, part, stored, ptx::signedness(type));
  write_register(operand.reg, held);
}

void RegisterFile::write_register(ptx::Register reg, const Held& value) {
  const RegisterForm& form = e_.plan.forms[reg];
  Value* guard = nullptr;
  if (e_.guarded) {
    const Held predicate = read_register(e_.instruction->guard);
    guard = predicate.uniform() ? predicate.parts[0] : e_.values.vector_of(predicate);
    if (e_.instruction->guard_negated) guard = e_.b.CreateNot(guard);
  }
  if (form.is_varying()) {
    Value* vector = e_.values.vector_of(value);
    const int bits = vector->getType()->getScalarSizeInBits() == 64 ? 64 : 32;
    if (!e_.converged() && e_.plan.keeps(e_.block, reg))
      vector = e_.b.CreateSelect(e_.masks.exec_vector(bits), vector, part(reg, 0));
    if (guard) vector = e_.b.CreateSelect(guard, vector, part(reg, 0));
    set_part(reg, 0, vector);
    return;
  }
  if (value.form.kind != form.kind || value.form.pattern != form.pattern)
    throw Error(ErrorKind::internal, "a register's form does not fit its value");
  auto write = [&](std::size_t to, std::size_t from) {
    Value* next = value.parts[from];
    set_part(reg, to, guard ? e_.b.CreateSelect(guard, next, part(reg, to)) : next);
  };
  for (unsigned group = 0; group < form.groups; ++group) {
    const unsigned from = value.form.groups == 1 ? 0 : group;
    write(group, from);
    if (form.kind == RegisterForm::Kind::delayed) write(form.groups + group, value.form.groups + from);
    if (form.is_permuted()) write(1, 1);
  }
}

void RegisterFile::elementwise(const ptx::Instruction& instruction, std::span<const PtxType> types, PtxType result,
                               const Make& make) {
  const auto all = e_.operands(instruction);
  const FormRules::Result ruled = e_.plan.rules().result(instruction);
  llvm::SmallVector<Held, 4> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) inputs.push_back(read(all[instruction.outputs + i], types[i]));
  llvm::SmallVector<Value*, 4> values(inputs.size());
  if (!ruled.form.is_affine()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i] = e_.values.vector_of(inputs[i]);
    write(all[0], e_.values.varying(make(values)), result);
    return;
  }
  Held made{ruled.form, {}};
  for (int group = 0; group < ruled.form.groups; ++group) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      values[i] =
          ruled.regroup >> i & 1 ? e_.values.group_value(inputs[i], group) : e_.values.base_of(inputs[i], group);
    made.parts.push_back(make(values));
  }
  write(all[0], made, result);
}

}  // namespace xcuda::device::cpu
