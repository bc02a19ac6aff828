// Which family emits which opcode. What is not here is unsupported.
#include "device/cpu/emit/emitter.hpp"

namespace xcuda::device::cpu {

Family family_of(ptx::Opcode opcode) {
  using ptx::Opcode;
  switch (opcode) {
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::isspacep: return emit_move;
    case Opcode::ld:
    case Opcode::ldu: return emit_load;
    case Opcode::st: return emit_store;
    case Opcode::atom:
    case Opcode::red: return emit_atomic;
    case Opcode::cvt: return emit_convert;
    case Opcode::setp:
    case Opcode::set:
    case Opcode::selp:
    case Opcode::slct:
    case Opcode::testp: return emit_compare;
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::lop3:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::popc:
    case Opcode::prmt:
    case Opcode::fns:
    case Opcode::bmsk:
    case Opcode::szext: return emit_logic;
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::div:
    case Opcode::rem:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::min:
    case Opcode::max:
    case Opcode::fma:
    case Opcode::sqrt:
    case Opcode::rcp:
    case Opcode::copysign:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh: return emit_arithmetic;
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
    case Opcode::sad:
    case Opcode::mul24:
    case Opcode::mad24:
    case Opcode::dp4a:
    case Opcode::dp2a: return emit_integer;
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::activemask: return emit_warp;
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4:
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4:
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
    case Opcode::vavrg2:
    case Opcode::vavrg4:
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4:
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4:
    case Opcode::vmad:
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
    case Opcode::vshl:
    case Opcode::vshr: return emit_video;
    case Opcode::mbarrier:
    case Opcode::cp: return emit_async;
    case Opcode::wmma:
    case Opcode::mma:
    case Opcode::ldmatrix:
    case Opcode::movmatrix: return emit_matrix;
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::txq:
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
    case Opcode::suq: return emit_texture;
    case Opcode::call: return emit_call;
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::pmevent:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::griddepcontrol:
    case Opcode::createpolicy: return emit_system;
    default: return nullptr;
  }
}

void emit_arithmetic(Emitter& e, const ptx::Instruction& instruction) {
  if (ptx::is_floating(instruction.type()))
    emit_float(e, instruction);
  else
    emit_integer(e, instruction);
}

}  // namespace xcuda::device::cpu
