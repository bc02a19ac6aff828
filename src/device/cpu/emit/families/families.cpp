// The emitter of each family.
#include "device/cpu/emit/families/families.hpp"

namespace xcuda::device::cpu {

Family family_of(ptx::Opcode opcode) {
  switch (ptx::row_of(opcode).family) {
    case ptx::Family::none:
    case ptx::Family::sugar:
    case ptx::Family::control: return nullptr;
    case ptx::Family::move: return emit_move;
    case ptx::Family::load: return emit_load;
    case ptx::Family::store: return emit_store;
    case ptx::Family::atomic: return emit_atomic;
    case ptx::Family::convert: return emit_convert;
    case ptx::Family::compare: return emit_compare;
    case ptx::Family::logic: return emit_logic;
    case ptx::Family::arithmetic: return emit_arithmetic;
    case ptx::Family::integer: return emit_integer;
    case ptx::Family::warp: return emit_warp;
    case ptx::Family::video: return emit_video;
    case ptx::Family::async: return emit_async;
    case ptx::Family::matrix: return emit_matrix;
    case ptx::Family::texture: return emit_texture;
    case ptx::Family::call: return emit_call;
    case ptx::Family::system: return emit_system;
  }
  return nullptr;
}

void emit_arithmetic(Emitter& e, const ptx::Instruction& instruction) {
  if (ptx::is_floating(instruction.type()))
    emit_float(e, instruction);
  else
    emit_integer(e, instruction);
}

}  // namespace xcuda::device::cpu
