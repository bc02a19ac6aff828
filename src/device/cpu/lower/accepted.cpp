#include "device/cpu/lower/accepted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace xcuda::device::cpu {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;

namespace {

// Operands with the result, and modifiers. Of compute capability 8.0, and what is later and runs.
struct Accepted {
  Opcode opcode;
  std::uint8_t least, most;
  std::string_view modifiers;
};

constexpr std::string_view set_words = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz";
constexpr std::string_view video_words = "sat add min max";
constexpr std::string_view packed_video_words = "sat add";
constexpr std::string_view load_words =
    "global shared shared::cta const local param param::entry param::func weak volatile relaxed acquire mmio cta gpu "
    "sys "
    "ca cg cs lu cv nc unified v2 v4 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
    "L1::no_allocate L2::cache_hint L2::64B L2::128B L2::256B";
constexpr std::string_view store_words =
    "global shared shared::cta local param param::func weak volatile relaxed release mmio cta gpu sys wb cg cs wt v2 "
    "v4 "
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::cache_hint";
constexpr std::string_view atomic_words =
    "global shared shared::cta relaxed acquire release acq_rel cta gpu sys add min max inc dec and or xor cas exch "
    "noftz L2::cache_hint";
constexpr std::string_view barrier_words = "cta sync arrive red popc and or aligned warp";

constexpr Accepted accepted_table[] = {
    {Opcode::abs, 2, 2, "ftz"},
    {Opcode::activemask, 1, 1, ""},
    {Opcode::add, 3, 3, "rn rz rm rp ftz sat cc"},
    {Opcode::addc, 3, 3, "cc"},
    {Opcode::and_, 3, 3, ""},
    {Opcode::applypriority, 2, 2, "global L2::evict_normal"},
    {Opcode::atom, 3, 5, atomic_words},
    {Opcode::bar, 1, 4, barrier_words},
    {Opcode::barrier, 1, 4, barrier_words},
    {Opcode::bfe, 4, 4, ""},
    {Opcode::bfi, 5, 5, ""},
    {Opcode::bfind, 2, 2, "shiftamt"},
    {Opcode::bmsk, 3, 3, "clamp wrap"},
    {Opcode::brev, 2, 2, ""},
    {Opcode::clz, 2, 2, ""},
    {Opcode::cnot, 2, 2, ""},
    {Opcode::copysign, 3, 3, ""},
    {Opcode::cos, 2, 2, "approx ftz"},
    {Opcode::createpolicy, 2, 4,
     "fractional range cvt global L2 L2::evict_normal L2::evict_first L2::evict_last L2::evict_unchanged"},
    {Opcode::cvt, 2, 4, "rn rz rm rp rni rzi rmi rpi rna ftz sat relu pack"},
    {Opcode::cvta, 2, 2, "to global shared shared::cta const local param param::entry"},
    {Opcode::discard, 2, 2, "global L2"},
    {Opcode::div, 3, 3, "rn rz rm rp approx full ftz"},
    {Opcode::dp2a, 4, 4, "lo hi"},
    {Opcode::dp4a, 4, 4, ""},
    {Opcode::ex2, 2, 2, "approx ftz"},
    {Opcode::fence, 0, 0, "sc acq_rel acquire release cta gpu sys cluster proxy alias async global shared::cta"},
    {Opcode::fma, 4, 4, "rn rz rm rp ftz sat relu"},
    {Opcode::fns, 4, 4, ""},
    {Opcode::griddepcontrol, 0, 0, "wait launch_dependents"},
    {Opcode::isspacep, 2, 2, "global shared shared::cta shared::cluster const local param param::entry"},
    {Opcode::ld, 2, 3, load_words},
    {Opcode::ldu, 2, 2, "global v2 v4"},
    {Opcode::lg2, 2, 2, "approx ftz"},
    {Opcode::lop3, 5, 6, "and or"},
    {Opcode::mad, 4, 4, "lo hi wide sat rn rz rm rp ftz cc"},
    {Opcode::mad24, 4, 4, "lo hi sat"},
    {Opcode::madc, 4, 4, "lo hi cc"},
    {Opcode::match, 3, 3, "any all sync"},
    {Opcode::max, 3, 3, "ftz NaN xorsign abs relu"},
    {Opcode::mbarrier, 1, 3,
     "init inval arrive arrive_drop test_wait try_wait pending_count noComplete parity shared shared::cta acquire "
     "release cta"},
    {Opcode::membar, 0, 0, "cta gl sys"},
    {Opcode::min, 3, 3, "ftz NaN xorsign abs relu"},
    {Opcode::mov, 2, 2, ""},
    {Opcode::mul, 3, 3, "lo hi wide rn rz rm rp ftz sat"},
    {Opcode::mul24, 3, 3, "lo hi"},
    {Opcode::nanosleep, 1, 1, ""},
    {Opcode::neg, 2, 2, "ftz"},
    {Opcode::not_, 2, 2, ""},
    {Opcode::or_, 3, 3, ""},
    {Opcode::pmevent, 1, 1, "mask"},
    {Opcode::popc, 2, 2, ""},
    {Opcode::prefetch, 1, 1, "global local L1 L2 L2::evict_last L2::evict_normal const param tensormap"},
    {Opcode::prefetchu, 1, 1, "L1"},
    {Opcode::prmt, 4, 4, "f4e b4e rc8 ecl ecr rc16"},
    {Opcode::rcp, 2, 2, "approx ftz rn rz rm rp"},
    {Opcode::red, 2, 3, atomic_words},
    {Opcode::redux, 3, 3, "sync add min max and or xor"},
    {Opcode::rem, 3, 3, ""},
    {Opcode::rsqrt, 2, 2, "approx ftz"},
    {Opcode::sad, 4, 4, ""},
    {Opcode::selp, 4, 4, ""},
    {Opcode::set, 3, 4, set_words},
    {Opcode::setp, 3, 4, set_words},
    {Opcode::shf, 4, 4, "l r clamp wrap"},
    {Opcode::shfl, 5, 5, "sync up down bfly idx"},
    {Opcode::shl, 3, 3, ""},
    {Opcode::shr, 3, 3, ""},
    {Opcode::sin, 2, 2, "approx ftz"},
    {Opcode::slct, 4, 4, "ftz"},
    {Opcode::sqrt, 2, 2, "approx ftz rn rz rm rp"},
    {Opcode::st, 2, 3, store_words},
    {Opcode::sub, 3, 3, "rn rz rm rp ftz sat cc"},
    {Opcode::subc, 3, 3, "cc"},
    {Opcode::szext, 3, 3, "clamp wrap"},
    {Opcode::tanh, 2, 2, "approx"},
    {Opcode::testp, 2, 2, "finite infinite number notanumber normal subnormal"},
    {Opcode::vabsdiff, 3, 4, video_words},
    {Opcode::vabsdiff2, 4, 4, packed_video_words},
    {Opcode::vabsdiff4, 4, 4, packed_video_words},
    {Opcode::vadd, 3, 4, video_words},
    {Opcode::vadd2, 4, 4, packed_video_words},
    {Opcode::vadd4, 4, 4, packed_video_words},
    {Opcode::vavrg2, 4, 4, packed_video_words},
    {Opcode::vavrg4, 4, 4, packed_video_words},
    {Opcode::vmad, 4, 4, "sat shr7 shr15 po"},
    {Opcode::vmax, 3, 4, video_words},
    {Opcode::vmax2, 4, 4, packed_video_words},
    {Opcode::vmax4, 4, 4, packed_video_words},
    {Opcode::vmin, 3, 4, video_words},
    {Opcode::vmin2, 4, 4, packed_video_words},
    {Opcode::vmin4, 4, 4, packed_video_words},
    {Opcode::vote, 2, 3, "sync all any uni ballot"},
    {Opcode::vset, 3, 4, "eq ne lt le gt ge add min max"},
    {Opcode::vset2, 4, 4, "eq ne lt le gt ge add"},
    {Opcode::vset4, 4, 4, "eq ne lt le gt ge add"},
    {Opcode::vshl, 3, 4, "sat clamp wrap add min max"},
    {Opcode::vshr, 3, 4, "sat clamp wrap add min max"},
    {Opcode::vsub, 3, 4, video_words},
    {Opcode::vsub2, 4, 4, packed_video_words},
    {Opcode::vsub4, 4, 4, packed_video_words},
    {Opcode::xor_, 3, 3, ""},
};

bool contains(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

bool has_type(const Instruction& instruction, std::initializer_list<ptx::Type> types) {
  return std::any_of(types.begin(), types.end(), [&](ptx::Type type) {
    return std::find(instruction.types.begin(), instruction.types.begin() + instruction.type_count, type) !=
           instruction.types.begin() + instruction.type_count;
  });
}

// The compute capability, times ten, that an instruction which is refused needs; 0: no later one than 8.0.
int capability(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::tcgen05:
    case Opcode::clusterlaunchcontrol: return 100;
    case Opcode::mapa:
    case Opcode::getctarank:
    case Opcode::elect:
    case Opcode::stmatrix:
    case Opcode::wgmma:
    case Opcode::setmaxnreg:
    case Opcode::multimem:
    case Opcode::tensormap: return 90;
    case Opcode::min:
    case Opcode::max:
      if (instruction.operand_count == 4) return 100;
      break;
    case Opcode::redux:
      if (ptx::is_floating(instruction.type())) return 100;
      break;
    case Opcode::ldmatrix:
      if (!instruction.has(Modifier::m8n8)) return 100;
      break;
    default: break;
  }
  if (instruction.has(Modifier::kind_f8f6f4)) return 120;
  if (has_type(instruction, {ptx::Type::f32x2}) || instruction.vector == 8 || instruction.has(Modifier::rs)) return 100;
  if (has_type(instruction, {ptx::Type::e4m3, ptx::Type::e5m2, ptx::Type::e4m3x2, ptx::Type::e5m2x2})) return 89;
  if (has_type(instruction, {ptx::Type::u16x2, ptx::Type::s16x2})) return 90;
  const bool atomic_words = instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red;
  if (atomic_words && (has_type(instruction, {ptx::Type::b128}) || instruction.vector > 1)) return 90;
  if (instruction.opcode == Opcode::cvt && has_type(instruction, {ptx::Type::tf32})) return 90;
  for (const Modifier later : {Modifier::cluster, Modifier::shared_cluster, Modifier::bulk, Modifier::expect_tx,
                               Modifier::complete_tx, Modifier::mbarrier_init, Modifier::multicast_cluster})
    if (instruction.has(later)) return 90;
  const bool copies = instruction.opcode == Opcode::cp;
  return instruction.has(Modifier::async) && !copies ? 90 : 0;
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
  const auto found = std::lower_bound(std::begin(accepted_table), std::end(accepted_table), instruction.opcode,
                                      [](const Accepted& row, Opcode opcode) { return row.opcode < opcode; });
  if (found == std::end(accepted_table) || found->opcode != instruction.opcode) return std::nullopt;  // its family says
  const int needed = capability(instruction);
  for (int i = 0; i < instruction.modifier_count; ++i)
    if (const auto word = ptx::text_of(instruction.modifiers[i]); !contains(found->modifiers, word))
      return needed ? capability_text(needed) : fmt::format("`.{}`", word);
  if (instruction.operand_count < found->least || instruction.operand_count > found->most)
    return needed ? capability_text(needed) : fmt::format("with {} operands", instruction.operand_count);
  return std::nullopt;
}

}  // namespace xcuda::device::cpu
