// Any bytes as PTX, whole and as queries read it: a tree whose indices are all inside, or one compile error.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "ptx/ptx_parser.hpp"
#include "ptx/source_places.hpp"

namespace {

using namespace xcuda::ptx;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Module& module) {
  for (const Variable& variable : module.variables) {
    require(variable.initial.size() <= variable.size);
    for (const Relocation& relocation : variable.relocations) {
      require(relocation.offset + relocation.size <= variable.initial.size());
      require(relocation.symbol.kind == SymbolKind::variable ? relocation.symbol.index < module.variables.size()
                                                             : relocation.symbol.index < module.functions.size());
    }
  }
  for (const Location& location : module.locations) {
    require(location.file == kNoIndex || location.file < module.files.size());
    require(location.inlined_at == kNoIndex || location.inlined_at < module.locations.size());
  }
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      require(instruction.first_operand + instruction.operand_count <= function.operands.size());
      require(instruction.guard == kNoIndex || instruction.guard < function.registers.size());
      for (const Operand& operand : function.operands_of(instruction)) {
        require(operand.reg == kNoIndex || operand.reg < function.registers.size());
        require(operand.second == kNoIndex || operand.second < function.registers.size());
        if (operand.kind == Operand::Kind::label) require(operand.index < function.labels.size());
        if (operand.kind == Operand::Kind::vector) require(operand.index + operand.count <= function.operands.size());
      }
      text_of(module, function, instruction);
    }
    for (Index i = 0; i < function.instructions.size(); i += 7) place_of(module, function, i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto try_to = [](auto read) {
    try {
      check(read());
    } catch (const xcuda::Error& error) {
      require(error.kind == xcuda::ErrorKind::compile && !error.message.empty());
    }
  };
  try_to([&] { return parse(text, "In[1]"); });
  try_to([&] { return parse_declarations(text, "In[1]"); });
  try_to([&] { return parse_entry(text, "In[1]", "k"); });
  return 0;
}
