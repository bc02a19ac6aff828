// The delayed form: 64-bit offsets whose 32-bit index is widened where the address is used.
#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

Held RegisterFile::delayed_index(const Held& value, const RegisterForm& form) {
  Held index{form, {}};
  for (int group = 0; group < form.groups; ++group) index.parts.push_back(e_.b.getInt64(0));
  for (int group = 0; group < form.groups; ++group) index.parts.push_back(e_.values.base_of(value, group));
  return index;
}

bool RegisterFile::write_delayed(const ptx::Instruction& instruction) {
  const RegisterForm form = e_.plan.rules().result(instruction).form;
  if (form.is_permuted()) return write_permuted(instruction);
  if (form.kind != RegisterForm::Kind::delayed) return false;
  const auto all = e_.operands(instruction);
  const PtxType type = instruction.type();
  auto offset = [&](Held& value, const std::function<Value*(int, Value*)>& change) {
    Held widened{form, {}};  // the groups may become more
    for (int group = 0; group < form.groups; ++group)
      widened.parts.push_back(change(group, e_.values.base_of(value, group)));
    for (int group = 0; group < form.groups; ++group)
      widened.parts.push_back(value.parts[static_cast<unsigned>(value.form.groups) +
                                          (value.form.groups == 1 ? 0 : static_cast<unsigned>(group))]);
    return widened;
  };
  auto sum = [&](ptx::Meaning meaning, Held a, Held b) {
    const bool first = a.form.kind == RegisterForm::Kind::delayed;
    Held &index = first ? a : b, &other = first ? b : a;
    return offset(index, [&](int group, Value* base) {
      return meaning == ptx::Meaning::difference ? e_.b.CreateSub(base, e_.values.base_of(other, group))
                                                 : e_.b.CreateAdd(base, e_.values.base_of(other, group));
    });
  };
  auto scaled = [&](Held value, std::uint64_t factor) {
    return offset(value, [&](int, Value* base) { return e_.b.CreateMul(base, e_.b.getInt64(factor)); });
  };
  // mul, mad: the factor that is not the constant one.
  auto product = [&] {
    const bool wide = instruction.has(ptx::Modifier::wide);
    const bool second = all[1].kind == Operand::Kind::integer;
    Held value = read(all[second ? 2 : 1], type);
    if (wide) {
      RegisterForm index = form;
      index.groups = value.form.groups;
      return delayed_index(value, index);
    }
    return scaled(value, all[second ? 1 : 2].bits);
  };
  Held result;
  switch (instruction.meaning()) {
    case ptx::Meaning::copy:
    case ptx::Meaning::address: result = read(all[1], PtxType::b64); break;
    case ptx::Meaning::conversion: result = delayed_index(read(all[1], PtxType::b32), form); break;
    case ptx::Meaning::sum:
    case ptx::Meaning::difference: result = sum(instruction.meaning(), read(all[1], type), read(all[2], type)); break;
    case ptx::Meaning::shift_left: result = scaled(read(all[1], PtxType::b64), std::uint64_t{1} << all[2].bits); break;
    case ptx::Meaning::product: result = product(); break;
    case ptx::Meaning::product_sum: result = sum(ptx::Meaning::sum, product(), read(all[3], PtxType::b64)); break;
    default: throw Error(ErrorKind::internal, "a delayed index where none is expected");
  }
  result.form = form;
  write(all[0], result, PtxType::b64);
  return true;
}

bool RegisterFile::write_permuted(const ptx::Instruction& instruction) {
  const RegisterForm form = e_.plan.rules().result(instruction).form;
  if (!form.is_permuted()) return false;
  const auto all = e_.operands(instruction);
  auto& b = e_.b;
  const bool wide = instruction.has(ptx::Modifier::wide);
  const PtxType type = instruction.type();
  // The operand that is permuted, with its base in the width of the result.
  auto widened = [&](const Operand& operand, PtxType from) {
    Held value = read(operand, PtxType::b32);
    value.parts[0] = ptx::is_signed(from) ? b.CreateSExt(value.parts[0], b.getInt64Ty())
                                          : b.CreateZExt(value.parts[0], b.getInt64Ty());
    return value;
  };
  auto scaled = [&](Held value, std::uint64_t factor) {
    value.parts[0] = b.CreateMul(value.parts[0], e_.values.constant(value.parts[0]->getType(), factor));
    return value;
  };
  auto product = [&] {
    const bool second = all[1].kind == Operand::Kind::integer;
    const Operand& index = all[second ? 2 : 1];
    return scaled(wide ? widened(index, type) : read(index, type), all[second ? 1 : 2].bits);
  };
  auto sum = [&](ptx::Meaning meaning, Held first, Held second) {
    if (!first.form.is_permuted()) std::swap(first, second);
    first.parts[0] = meaning == ptx::Meaning::difference ? b.CreateSub(first.parts[0], second.parts[0])
                                                         : b.CreateAdd(first.parts[0], second.parts[0]);
    return first;
  };
  Held result;
  switch (instruction.meaning()) {
    case ptx::Meaning::bit_xor: {
      Held number = read(all[1], type), bits = read(all[2], type);
      if (number.uniform()) std::swap(number, bits);
      result.parts = {b.CreateXor(number.parts[0], b.CreateAnd(bits.parts[0], b.getInt32(~31u))),
                      b.CreateAnd(bits.parts[0], b.getInt32(31))};
      if (number.form.is_permuted()) result.parts[1] = b.CreateXor(result.parts[1], number.parts[1]);
      break;
    }
    case ptx::Meaning::sum:
    case ptx::Meaning::difference: result = sum(instruction.meaning(), read(all[1], type), read(all[2], type)); break;
    case ptx::Meaning::product: result = product(); break;
    case ptx::Meaning::product_sum:
      result = sum(ptx::Meaning::sum, product(), read(all[3], wide ? PtxType::b64 : type));
      break;
    case ptx::Meaning::shift_left: result = scaled(read(all[1], type), std::uint64_t{1} << all[2].bits); break;
    case ptx::Meaning::conversion: result = widened(all[1], instruction.types[1]); break;
    default: throw Error(ErrorKind::internal, "a permuted index where none is expected");
  }
  result.form = form;
  write(all[0], result, ptx::bits_of(e_.function.registers[all[0].reg]) == 64 ? PtxType::b64 : PtxType::b32);
  return true;
}

}  // namespace xcuda::device::cpu
