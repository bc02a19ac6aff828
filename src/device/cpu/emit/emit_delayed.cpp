// The delayed form: 64-bit offsets whose 32-bit index is widened where the address is used.
#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

Held Emitter::delayed_index(const Held& value, const Form& form) {
  Held index{form, {}};
  for (int group = 0; group < form.groups; ++group) index.parts.push_back(builder_.getInt64(0));
  for (int group = 0; group < form.groups; ++group) index.parts.push_back(base_of(value, group));
  return index;
}

bool Emitter::emit_delayed(const ptx::Instruction& instruction) {
  using ptx::Opcode;
  const Form form = plan_.rules().result(instruction).form;
  if (form.is_permuted()) return emit_permuted(instruction);
  if (form.kind != Form::Kind::delayed) return false;
  const auto all = operands(instruction);
  const PtxType type = instruction.type();
  auto offset = [&](Held& value, const std::function<Value*(int, Value*)>& change) {
    Held widened{form, {}};  // the groups may become more
    for (int group = 0; group < form.groups; ++group) widened.parts.push_back(change(group, base_of(value, group)));
    for (int group = 0; group < form.groups; ++group)
      widened.parts.push_back(value.parts[static_cast<unsigned>(value.form.groups) +
                                          (value.form.groups == 1 ? 0 : static_cast<unsigned>(group))]);
    return widened;
  };
  auto sum = [&](Held a, Held b, bool minus) {
    const bool first = a.form.kind == Form::Kind::delayed;
    Held &index = first ? a : b, &other = first ? b : a;
    return offset(index, [&](int group, Value* base) {
      return minus ? builder_.CreateSub(base, base_of(other, group)) : builder_.CreateAdd(base, base_of(other, group));
    });
  };
  auto scaled = [&](Held value, std::uint64_t factor) {
    return offset(value, [&](int, Value* base) { return builder_.CreateMul(base, builder_.getInt64(factor)); });
  };
  // mul, mad: the factor that is not the constant one.
  auto product = [&] {
    const bool wide = instruction.has(ptx::Modifier::wide);
    const bool second = all[1].kind == Operand::Kind::integer;
    Held value = read(all[second ? 2 : 1], type);
    if (wide) {
      Form index = form;
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
    case ptx::Meaning::difference:
      result = sum(read(all[1], type), read(all[2], type), instruction.meaning() == ptx::Meaning::difference);
      break;
    case ptx::Meaning::shift_left: result = scaled(read(all[1], PtxType::b64), std::uint64_t{1} << all[2].bits); break;
    case ptx::Meaning::product: result = product(); break;
    case ptx::Meaning::product_sum: result = sum(product(), read(all[3], PtxType::b64), false); break;
    default: throw Error(ErrorKind::internal, "a delayed index where none is expected");
  }
  result.form = form;
  write(all[0], result, PtxType::b64);
  return true;
}

}  // namespace xcuda::device::cpu
