#include "device/cpu/lower/forms.hpp"

#include <algorithm>
#include <initializer_list>

namespace xcuda::device::cpu {

using ptx::Category;
using ptx::Family;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Trait;
using ptx::Type;

namespace {

using Why = std::optional<std::string>;
using Operands = std::span<const Operand>;

Why refused_if(bool refused, std::string_view why = {}) { return refused ? Why(why) : std::nullopt; }

template <class Word> bool is_one_of(Word word, std::initializer_list<Word> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t count_of(const Operand& operand) { return operand.kind == Operand::Kind::vector ? operand.count : 1; }

Why of_arithmetic(const Instruction& instruction) {
  const Type type = instruction.type();
  if (!ptx::is_floating(type)) {
    const bool real = instruction.is(Trait::roots | Trait::curves) ||
                      is_one_of(instruction.opcode, {Opcode::copysign, Opcode::fma, Opcode::tanh});
    return refused_if(real || type == Type::u16x2 || type == Type::s16x2);
  }
  if (!is_one_of(type, {Type::f32, Type::f64, Type::f16, Type::bf16, Type::f16x2, Type::bf16x2})) return "";
  const bool curve = instruction.is(Trait::curves) || instruction.opcode == Opcode::tanh;
  return refused_if(instruction.opcode == Opcode::rem || (type == Type::f64 && curve));
}

Why of_integer(const Instruction& instruction) {
  return refused_if(instruction.type() == Type::u16x2 || instruction.type() == Type::s16x2);
}

Why of_comparison(const Instruction& instruction) {
  if (instruction.opcode == Opcode::testp)
    return refused_if(!instruction.has_any({Modifier::finite, Modifier::infinite, Modifier::number,
                                            Modifier::notanumber, Modifier::normal, Modifier::subnormal}));
  if (instruction.opcode != Opcode::set && instruction.opcode != Opcode::setp) return std::nullopt;
  const Modifier word = instruction.find(Category::comparison);
  const bool of_all =
      is_one_of(word, {Modifier::eq, Modifier::ne, Modifier::lt, Modifier::le, Modifier::gt, Modifier::ge});
  const bool of_floats = is_one_of(word, {Modifier::equ, Modifier::neu, Modifier::ltu, Modifier::leu, Modifier::gtu,
                                          Modifier::geu, Modifier::num, Modifier::nan});
  const bool of_integers = is_one_of(word, {Modifier::lo, Modifier::ls, Modifier::hi, Modifier::hs});
  if (instruction.type_count == 0) return "";
  const bool floating = ptx::is_floating(instruction.types[instruction.type_count - 1]);
  if (!of_all && !(floating ? of_floats : of_integers)) return "";
  const bool combines = instruction.operand_count > 3;
  return refused_if(combines &&
                    !is_one_of(instruction.find(Category::operation), {Modifier::and_, Modifier::or_, Modifier::xor_}));
}

Why of_conversion(const Instruction& instruction) {
  if (instruction.type_count < 2) return "";
  const Type to = instruction.types[0], from = instruction.types[1];
  if (instruction.has(Modifier::pack)) {
    const int bits = ptx::bits_of(to);
    return refused_if(ptx::is_floating(to) || from != Type::s32 || !instruction.has(Modifier::sat) || bits > 16 ||
                      instruction.operand_count != (bits == 16 ? 3 : 4));
  }
  if (instruction.operand_count == 3 && ptx::is_floating(to) && ptx::bits_of(to) == 32 && to != Type::f32)
    return refused_if(!is_one_of(to, {Type::f16x2, Type::bf16x2}) || from != Type::f32);
  if (instruction.has(Modifier::satfinite)) return "";
  if (to == Type::tf32 && from == Type::f32 && instruction.has(Modifier::rna)) return std::nullopt;
  const auto taken = [](Type type) {
    return !ptx::is_floating(type) || is_one_of(type, {Type::f16, Type::bf16, Type::f32, Type::f64});
  };
  return refused_if(!taken(to) || !taken(from));
}

Why of_atomic(const Instruction& instruction) {
  const bool half = is_one_of(instruction.type(), {Type::f16, Type::bf16, Type::f16x2, Type::bf16x2});
  if (instruction.type() == Type::b128 || instruction.vector > 1 || (half && !instruction.has(Modifier::add)))
    return "";
  return refused_if(!instruction.has(Modifier::cas) &&
                    !is_one_of(instruction.find(Category::operation),
                               {Modifier::add, Modifier::min, Modifier::max, Modifier::and_, Modifier::or_,
                                Modifier::xor_, Modifier::exch, Modifier::inc, Modifier::dec}));
}

Why of_warp(const Instruction& instruction) {
  const Modifier operation = instruction.find(Category::operation);
  switch (instruction.opcode) {
    case Opcode::shfl:
      return refused_if(!is_one_of(operation, {Modifier::up, Modifier::down, Modifier::bfly, Modifier::idx}));
    case Opcode::vote:
      return refused_if(!is_one_of(operation, {Modifier::ballot, Modifier::any, Modifier::all, Modifier::uni}));
    case Opcode::redux:
      return refused_if(ptx::is_floating(instruction.type()) ||
                        !is_one_of(operation, {Modifier::add, Modifier::and_, Modifier::or_, Modifier::xor_,
                                               Modifier::min, Modifier::max}));
    default: return std::nullopt;
  }
}

// vadd2.u32.u32.u32 d.h1, a.h10, b.h32, c: parts of a and b, numbered through.
Why of_packed_video(Operands operands, unsigned parts) {
  const auto other_part = [&](const Operand& operand) {
    return operand.count != 0 && bool(operand.index & Operand::kHalves) != (parts == 2);
  };
  if (std::any_of(operands.begin(), operands.end(), other_part)) return "";
  return refused_if((operands[1].count && operands[1].count != parts) ||
                    (operands[2].count && operands[2].count != parts));
}

Why of_video(const Instruction& instruction, Operands operands) {
  const std::string_view name = ptx::text_of(instruction.opcode);
  if (instruction.opcode == Opcode::vmad) {
    const bool minus_product = operands[1].negated != operands[2].negated, minus_sum = operands[3].negated;
    return refused_if(instruction.type_count != 3 || operands[0].count || operands[3].count ||
                      (instruction.has(Modifier::po) && (minus_product || minus_sum)) || (minus_product && minus_sum));
  }
  const bool compares = is_one_of(instruction.opcode, {Opcode::vset, Opcode::vset2, Opcode::vset4});
  if (instruction.type_count != (compares ? 2 : 3)) return "";
  if (compares &&
      !instruction.has_any({Modifier::eq, Modifier::ne, Modifier::lt, Modifier::le, Modifier::gt, Modifier::ge}))
    return "";
  if (name.ends_with('2') || name.ends_with('4')) return of_packed_video(operands, name.ends_with('2') ? 2 : 4);
  // A second operation, or a part of c that the result replaces.
  const bool second = instruction.has_any({Modifier::add, Modifier::min, Modifier::max}), merges = operands[0].count;
  return refused_if((second || merges) != (operands.size() == 4) || (second && merges));
}

Why of_mbarrier(const Instruction& instruction) {
  if (instruction.has_any({Modifier::expect_tx, Modifier::complete_tx})) return "";
  return refused_if(!instruction.has_any({Modifier::pending_count, Modifier::inval, Modifier::init, Modifier::arrive,
                                          Modifier::arrive_drop, Modifier::test_wait, Modifier::try_wait}));
}

Why of_copy(const Instruction& instruction, Operands operands) {
  if (!instruction.has(Modifier::async) || instruction.has(Modifier::bulk)) return "";
  if (instruction.has_any({Modifier::commit_group, Modifier::wait_all, Modifier::wait_group}) ||
      (instruction.has(Modifier::mbarrier) && instruction.has(Modifier::arrive)))
    return std::nullopt;
  return refused_if(operands.size() < 3 || operands[2].kind != Operand::Kind::integer ||
                    !is_one_of<std::uint64_t>(operands[2].bits, {4, 8, 16}));
}

// mma.sp: half of a row of a is kept, and metadata says which. Lanes of each four hold it: one, two, or all.
Why of_sparse_product(const Instruction& instruction, Operands operands) {
  if (instruction.type_count != 4 || operands.size() != 6) return "";
  const auto lanes = [&]() -> std::uint64_t {
    const Modifier shape = instruction.find(Category::shape);
    switch (instruction.types[1]) {
      case Type::f16:
      case Type::bf16: return shape == Modifier::m16n8k16 ? 1 : shape == Modifier::m16n8k32 ? 2 : 0;
      case Type::tf32: return shape == Modifier::m16n8k8 ? 1 : shape == Modifier::m16n8k16 ? 2 : 0;
      case Type::s8:
      case Type::u8: return shape == Modifier::m16n8k32 ? 2 : shape == Modifier::m16n8k64 ? 4 : 0;
      case Type::s4:
      case Type::u4: return shape == Modifier::m16n8k64 ? 2 : shape == Modifier::m16n8k128 ? 4 : 0;
      default: return 0;
    }
  }();
  if (lanes == 0) return "";
  return refused_if(operands[5].kind != Operand::Kind::integer || operands[5].bits >= 4 / lanes);
}

Why of_product(const Instruction& instruction, Operands operands) {  // mma, wmma.mma
  if (instruction.has_any({Modifier::sp, Modifier::sp_ordered_metadata}))
    return of_sparse_product(instruction, operands);
  if (instruction.type_count < 2 || instruction.type_count == 3 || operands.size() != 4) return "";
  if (instruction.type_count == 2) return std::nullopt;  // wmma of f16 names d and c only
  return refused_if(std::any_of(instruction.types.begin() + 1, instruction.types.begin() + 3, [](Type type) {
    return !is_one_of(type,
                      {Type::f16, Type::bf16, Type::tf32, Type::f64, Type::u8, Type::s8, Type::u4, Type::s4, Type::b1});
  }));
}

Why of_matrix(const Instruction& instruction, Operands operands) {
  if (instruction.opcode == Opcode::movmatrix) return std::nullopt;
  if (instruction.opcode == Opcode::ldmatrix)
    return refused_if(!instruction.has(Modifier::m8n8) || instruction.type() != Type::b16);
  const bool moves = instruction.has_any({Modifier::load, Modifier::store}),
             multiplies = instruction.opcode == Opcode::mma || instruction.has(Modifier::mma);
  const bool shaped =
      is_one_of(instruction.find(Category::shape),
                {Modifier::m16n16k16, Modifier::m32n8k16, Modifier::m8n32k16, Modifier::m16n16k8, Modifier::m8n8k4,
                 Modifier::m8n8k16, Modifier::m8n8k32, Modifier::m8n8k128, Modifier::m16n8k4, Modifier::m16n8k8,
                 Modifier::m16n8k16, Modifier::m16n8k32, Modifier::m16n8k64, Modifier::m16n8k128, Modifier::m16n8k256});
  if (!shaped || (!moves && !multiplies)) return "";
  return moves ? std::nullopt : of_product(instruction, operands);
}

// How many coordinates a texture of that geometry has, the layer's number included; 0: none that is known.
std::size_t coordinates_of(const Instruction& instruction) {
  switch (instruction.find(Category::geometry)) {
    case Modifier::d1: return 1;
    case Modifier::d2:
    case Modifier::a1d: return 2;
    case Modifier::d3:
    case Modifier::a2d:
    case Modifier::cube: return 3;
    case Modifier::acube: return 4;
    default: return 0;
  }
}

Why of_handle(const Operand& handle) {
  return refused_if(handle.kind != Operand::Kind::address || handle.reg == ptx::kNoIndex,
                    "texture references, which CUDA 12 removed; pass a cudaTextureObject_t");
}

Why of_geometry(const Instruction& instruction) {
  return refused_if(coordinates_of(instruction) == 0, "textures of several samples");
}

Why of_texture(const Instruction& instruction, Operands operands) {
  if (instruction.is(Trait::queries)) {
    if (!instruction.has_any({Modifier::width, Modifier::height, Modifier::depth, Modifier::array_size,
                              Modifier::num_mipmap_levels, Modifier::num_samples, Modifier::channel_data_type,
                              Modifier::channel_order, Modifier::normalized_coords}))
      return "only a separate sampler has that";
    return operands.size() == 2 ? of_handle(operands[1]) : "a form that C++ has no function for";
  }
  if (instruction.is(Trait::surface)) {
    if (instruction.has(Modifier::p)) return "formatted access, which C++ has no function for";
    if (Why why = of_geometry(instruction)) return why;
    if (instruction.has_any({Modifier::cube, Modifier::acube})) return "";
    const std::size_t address = instruction.opcode == Opcode::suld ? 1 : 0;
    if (operands.size() != 3 || count_of(operands[address + 1]) < coordinates_of(instruction)) return "";
    if (instruction.opcode == Opcode::sured &&
        !instruction.has_any({Modifier::add, Modifier::min, Modifier::max, Modifier::and_, Modifier::or_}))
      return "";
    return of_handle(operands[address]);
  }
  if (Why why = of_geometry(instruction)) return why;
  const std::size_t spare = instruction.has(Modifier::level) ? 1 : instruction.has(Modifier::grad) ? 2 : 0;
  if (operands.size() != 3 + spare || instruction.type_count != 2 || instruction.vector != 4 ||
      ptx::bits_of(instruction.types[0]) != 32)
    return "a form that C++ has no function for";
  const bool cube = instruction.has_any({Modifier::cube, Modifier::acube});
  if ((spare > 0 || cube || instruction.is(Trait::gathers)) && instruction.types[1] != Type::f32) return "";
  if (cube && instruction.is(Trait::gathers)) return "a form that C++ has no function for";
  const std::size_t coordinates = coordinates_of(instruction);
  if (count_of(operands[2]) < coordinates) return "";
  const std::size_t layer = instruction.has_any({Modifier::a1d, Modifier::a2d, Modifier::acube}) ? 1 : 0;
  for (std::size_t i = 0; spare == 2 && i < spare; ++i)
    if (count_of(operands[3 + i]) < coordinates - layer) return "";
  return of_handle(operands[1]);
}

// Barriers of a count of threads are no longer there, and those that end a block of code are control flow.
Why of_barrier(const Instruction& instruction) {
  if (instruction.has(Modifier::warp)) return std::nullopt;
  if (instruction.has(Modifier::cluster) || instruction.guarded() || instruction.has(Modifier::arrive)) return "";
  if (!instruction.has(Modifier::red)) return refused_if(instruction.operand_count != 1);
  return refused_if(instruction.operand_count != 3 ||
                    !instruction.has_any({Modifier::popc, Modifier::and_, Modifier::or_}));
}

// Families whose operands may be {a, b}.
bool takes_vectors(Family family) {
  return is_one_of(family, {Family::move, Family::load, Family::store, Family::atomic, Family::async, Family::matrix,
                            Family::texture});
}

bool has_value(const ptx::Function& function, const Operand& operand) {
  if (operand.kind != Operand::Kind::vector)
    return operand.kind != Operand::Kind::discard && operand.kind != Operand::Kind::label;
  const Operands elements = function.elements_of(operand);
  return std::all_of(elements.begin(), elements.end(), [&](const Operand& each) { return has_value(function, each); });
}

Why of_family(const ptx::Function& function, const Instruction& instruction) {
  const Operands operands = function.operands_of(instruction);
  switch (instruction.family()) {
    case Family::none:
    case Family::sugar: return "";
    case Family::arithmetic: return of_arithmetic(instruction);
    case Family::integer: return of_integer(instruction);
    case Family::compare: return of_comparison(instruction);
    case Family::convert: return of_conversion(instruction);
    case Family::atomic: return of_atomic(instruction);
    case Family::warp: return of_warp(instruction);
    case Family::video: return of_video(instruction, operands);
    case Family::async:
      return instruction.opcode == Opcode::mbarrier ? of_mbarrier(instruction) : of_copy(instruction, operands);
    case Family::matrix: return of_matrix(instruction, operands);
    case Family::texture: return of_texture(instruction, operands);
    case Family::store:
      return refused_if(instruction.space == ptx::Space::param && function.entry &&
                            operands[0].symbol_kind != ptx::SymbolKind::argument,
                        "a store to a parameter of the kernel");
    case Family::system: return instruction.is(Trait::barrier) ? of_barrier(instruction) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> refused_form(const ptx::Function& function, const Instruction& instruction) {
  if (Why why = of_family(function, instruction)) return why;
  if (instruction.family() == Family::control || instruction.family() == Family::call) return std::nullopt;
  const Operands inputs = function.operands_of(instruction).subspan(instruction.outputs);
  const bool vectors = takes_vectors(instruction.family());
  return refused_if(std::any_of(inputs.begin(), inputs.end(),
                                [&](const Operand& operand) {
                                  return !has_value(function, operand) ||
                                         (operand.kind == Operand::Kind::vector && !vectors);
                                }),
                    "with an operand that has no value");
}

}  // namespace xcuda::device::cpu
