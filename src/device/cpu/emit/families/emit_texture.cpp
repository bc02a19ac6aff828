// Textures and surfaces: each instruction is one call of Service::texture; its arguments are a TextureCall, the memory
// of its registers, and the handles.
#include "device/cpu/abi/texture_call.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

TextureShape texture_shape(Emitter& e, const Instruction& instruction) {
  switch (instruction.find(ptx::Category::geometry)) {
    case Modifier::d1: return TextureShape::line;
    case Modifier::d2: return TextureShape::plane;
    case Modifier::d3: return TextureShape::volume;
    case Modifier::a1d: return TextureShape::lines;
    case Modifier::a2d: return TextureShape::planes;
    case Modifier::cube: return TextureShape::cube;
    case Modifier::acube: return TextureShape::cubes;
    default: e.not_refused(instruction);
  }
}

struct TextureRegisters {
  std::span<const Operand> results;
  PtxType type = PtxType::b32;
  llvm::SmallVector<Value*, 12> values;  // coordinates, then what is stored; vectors
};

void run(Emitter& e, const Instruction& instruction, const Operand& handle, const TextureCall& call,
         const TextureRegisters& registers) {
  auto& b = e.b;
  auto* word = b.getInt64Ty();
  const std::size_t total = registers.results.size() + registers.values.size();
  Value* slot = e.slots.call_memory(kWordsOfTextureRegister * total);
  const auto at = [&](std::size_t index) {
    return b.CreateConstInBoundsGEP1_64(word, slot, kWordsOfTextureRegister * index);
  };
  for (std::size_t i = 0; i < registers.values.size(); ++i) {
    Value* value = registers.values[i];
    const unsigned bits = value->getType()->getScalarSizeInBits();
    value = b.CreateBitCast(value, e.values.lanes(e.values.integer(static_cast<int>(bits))));
    b.CreateAlignedStore(b.CreateZExt(value, e.values.lanes(word)), at(registers.results.size() + i), llvm::Align(64));
  }
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(call);
  Value* arguments[] = {b.getInt64(words[0]), b.getInt64(words[1]), b.CreatePtrToInt(slot, word),
                        e.values.vector_of(shared_address(e, handle))};
  e.services.call(Service::texture, arguments, e.masks.active_mask(), instruction);
  llvm::Type* narrow = e.values.integer(ptx::bits_of(registers.type));
  for (std::size_t i = 0; i < registers.results.size(); ++i) {
    Value* value =
        b.CreateTrunc(b.CreateAlignedLoad(e.values.lanes(word), at(i), llvm::Align(64)), e.values.lanes(narrow));
    e.registers.write(registers.results[i],
                      e.values.varying(b.CreateBitCast(value, e.values.lanes(e.values.element(registers.type)))),
                      registers.type);
  }
}

void add(Emitter& e, TextureRegisters& registers, std::span<const Operand> operands, PtxType type) {
  for (const Operand& operand : operands) registers.values.push_back(e.registers.read_vector(operand, type));
}

// tex and tld4: results, handle, coordinates, and for mipmaps a level or two gradients. The element offsets and the
// comparison of depth textures have no way to be written in C++.
void read_texture(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  TextureCall call{.action = instruction.opcode == Opcode::tld4 ? TextureAction::gather : TextureAction::sample};
  call.shape = texture_shape(e, instruction);
  const PtxType result = instruction.types[0], coordinate = instruction.types[1];
  if (coordinate != PtxType::f32) call.action = TextureAction::fetch;
  if (call.action == TextureAction::gather)
    call.component = instruction.has(Modifier::a)   ? 3
                     : instruction.has(Modifier::b) ? 2
                     : instruction.has(Modifier::g) ? 1
                                                    : 0;
  const auto coordinates = elements(e, operands[2]);
  const int wanted = coordinates_of(call.shape) + (is_layered(call.shape) ? 1 : 0);
  call.type = static_cast<std::uint8_t>(result);
  call.coordinates = static_cast<std::uint8_t>(wanted);
  TextureRegisters registers{elements(e, operands[0]), result, {}};
  call.components = static_cast<std::uint8_t>(registers.results.size());
  add(e, registers, coordinates.first(static_cast<std::size_t>(wanted)), PtxType::b32);
  if (instruction.has(Modifier::level)) {
    call.level = TextureLevel::named;
    add(e, registers, {&operands[3], 1}, PtxType::b32);
  }
  if (instruction.has(Modifier::grad)) {
    call.level = TextureLevel::gradient;
    for (const std::size_t which : {3, 4})
      add(e, registers, elements(e, operands[which]).first(static_cast<std::size_t>(coordinates_of(call.shape))),
          PtxType::b32);
  }
  run(e, instruction, operands[1], call, registers);
  if (operands[0].second == ptx::kNoIndex) return;
  Operand resident;  // all of a texture is in memory
  resident.kind = Operand::Kind::reg;
  resident.reg = operands[0].second;
  e.registers.write(resident, e.values.varying(e.values.constant(e.values.lanes(e.values.integer(1)), 1)),
                    PtxType::pred);
}

void query(Emitter& e, const Instruction& instruction) {
  struct Known {
    Modifier word;
    TextureQuery query;
  };
  static constexpr Known kKnown[] = {
      {Modifier::width, TextureQuery::width},
      {Modifier::height, TextureQuery::height},
      {Modifier::depth, TextureQuery::depth},
      {Modifier::array_size, TextureQuery::layers},
      {Modifier::num_mipmap_levels, TextureQuery::levels},
      {Modifier::num_samples, TextureQuery::samples},
      {Modifier::channel_data_type, TextureQuery::channel_type},
      {Modifier::channel_order, TextureQuery::channel_order},
      {Modifier::normalized_coords, TextureQuery::normalized},
  };
  const auto operands = e.operands(instruction);
  const auto* found =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return instruction.has(k.word); });
  if (found == std::end(kKnown)) e.not_refused(instruction);
  const TextureCall call{.action = TextureAction::query, .query = found->query, .components = 1};
  run(e, instruction, operands[1], call, {{&operands[0], 1}, PtxType::b32, {}});
}

// suld, sust, sured: the type of what is read or written is the instruction's last.
void access_surface(Emitter& e, const Instruction& instruction) {
  const auto operands = e.operands(instruction);
  const bool loads = instruction.opcode == Opcode::suld, reduces = instruction.opcode == Opcode::sured;
  TextureCall call{.action = loads ? TextureAction::load : reduces ? TextureAction::reduce : TextureAction::store};
  call.shape = texture_shape(e, instruction);
  call.boundary = instruction.has(Modifier::clamp)  ? TextureBoundary::clamp
                  : instruction.has(Modifier::zero) ? TextureBoundary::zero
                                                    : TextureBoundary::trap;
  const PtxType type = instruction.type();
  call.type = static_cast<std::uint8_t>(type);
  const std::size_t address = loads ? 1 : 0;
  const auto coordinates = elements(e, operands[address + 1]);
  const int wanted = coordinates_of(call.shape) + (is_layered(call.shape) ? 1 : 0);
  call.coordinates = static_cast<std::uint8_t>(wanted);
  TextureRegisters registers{{}, type, {}};
  add(e, registers, coordinates.first(static_cast<std::size_t>(wanted)), PtxType::b32);
  const auto values = elements(e, operands[loads ? 0 : 2]);
  call.components = static_cast<std::uint8_t>(values.size());
  if (loads)
    registers.results = values;
  else
    add(e, registers, values, type);
  if (reduces) {
    static constexpr Modifier kOperations[] = {Modifier::add, Modifier::min, Modifier::max, Modifier::and_,
                                               Modifier::or_};
    const auto* operation =
        std::find_if(std::begin(kOperations), std::end(kOperations), [&](Modifier m) { return instruction.has(m); });
    if (operation == std::end(kOperations)) e.not_refused(instruction);
    call.operation = static_cast<std::uint16_t>(*operation);
  }
  run(e, instruction, operands[address], call, registers);
}

}  // namespace

void emit_texture(Emitter& e, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::tex:
    case Opcode::tld4: return read_texture(e, instruction);
    case Opcode::txq:
    case Opcode::suq: return query(e, instruction);
    default: return access_surface(e, instruction);
  }
}

}  // namespace xcuda::device::cpu
