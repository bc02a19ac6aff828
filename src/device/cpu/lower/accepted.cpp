#include "device/cpu/lower/accepted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace xcuda::device::cpu {

using ptx::Family;
using ptx::Instruction;
using ptx::Modifier;

namespace {

bool has_type(const Instruction& instruction, std::initializer_list<ptx::Type> types) {
  return std::any_of(types.begin(), types.end(), [&](ptx::Type type) {
    return std::find(instruction.types.begin(), instruction.types.begin() + instruction.type_count, type) !=
           instruction.types.begin() + instruction.type_count;
  });
}

bool takes(const Instruction& instruction) {  // so many operands
  const ptx::InstructionRow& row = ptx::row_of(instruction.opcode);
  return instruction.operand_count >= row.least && instruction.operand_count <= row.most;
}

// The compute capability, times ten, that an instruction which is refused needs; 0: no later one than 8.0.
int capability(const Instruction& instruction) {
  if (const int since = ptx::row_of(instruction.opcode).since) return since;
  const bool later_form =
      (instruction.family() == Family::arithmetic && instruction.operand_count > 3 && !takes(instruction)) ||
      (instruction.family() == Family::warp && ptx::is_floating(instruction.type())) ||
      instruction.has_any({Modifier::m16n16, Modifier::m8n16, Modifier::rs}) || instruction.vector == 8 ||
      has_type(instruction, {ptx::Type::f32x2});
  if (instruction.has(Modifier::kind_f8f6f4)) return 120;
  if (later_form) return 100;
  if (has_type(instruction, {ptx::Type::e4m3, ptx::Type::e5m2, ptx::Type::e4m3x2, ptx::Type::e5m2x2})) return 89;
  if (has_type(instruction, {ptx::Type::u16x2, ptx::Type::s16x2})) return 90;
  const bool atomic = instruction.is(ptx::Trait::atomic);
  if (atomic && (has_type(instruction, {ptx::Type::b128}) || instruction.vector > 1)) return 90;
  if (instruction.family() == Family::convert && has_type(instruction, {ptx::Type::tf32})) return 90;
  const bool later_word =
      instruction.has_any({Modifier::cluster, Modifier::shared_cluster, Modifier::bulk, Modifier::expect_tx,
                           Modifier::complete_tx, Modifier::mbarrier_init, Modifier::multicast_cluster}) ||
      (instruction.has(Modifier::async) && !instruction.is(ptx::Trait::copies));
  return later_word ? 90 : 0;
}

std::string capability_text(int capability) {
  return fmt::format("it needs compute capability {}.{}", capability / 10, capability % 10);
}

}  // namespace

std::string why_refused(const Instruction& instruction) {
  const int needed = capability(instruction);
  return needed ? capability_text(needed) : std::string();
}

std::optional<std::string> refusal(const Instruction& instruction) {
  const ptx::InstructionRow& row = ptx::row_of(instruction.opcode);
  const auto because = [&](std::string own) {
    std::string later = why_refused(instruction);
    return later.empty() ? std::move(own) : std::move(later);
  };
  for (int i = 0; i < instruction.modifier_count; ++i)
    if (!row.words.contains(instruction.modifiers[i]))
      return because(fmt::format("`.{}`", ptx::text_of(instruction.modifiers[i])));
  if (!takes(instruction)) return because(fmt::format("with {} operands", instruction.operand_count));
  return std::nullopt;
}

}  // namespace xcuda::device::cpu
