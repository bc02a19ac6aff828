// An instruction of a function's body: its word, with modifiers and types, and its operands.
#pragma once

#include <vector>

#include "ptx/reader.hpp"
#include "ptx/scopes.hpp"

namespace xcuda::ptx {

class InstructionParser {
 public:
  InstructionParser(Reader& reader, Function& function, Scopes& scopes)
      : reader_(reader), function_(function), scopes_(scopes) {}

  void read(Instruction instruction, const Token& word);  // after its guard and word, through the semicolon
  void add_call_list(const Token& name, std::vector<Index> functions);

 private:
  static constexpr std::size_t kOperandLimit = 1024;

  bool read_opcode(Instruction& instruction, const Token& word);
  bool add_modifier(Instruction& instruction, std::string_view part, const Token& word);
  void read_operand(Instruction& instruction);
  void read_address(Instruction& instruction);
  Operand read_simple();
  Operand read_name(const Token& token);
  bool read_parts(std::string_view name, Operand& operand) const;
  void read_call(Instruction& instruction);
  void read_call_targets(Call& call);
  std::vector<Operand> read_call_list();

  Reader& reader_;
  Function& function_;
  Scopes& scopes_;
  std::vector<std::vector<Index>> call_lists_;
  std::vector<Operand> operands_;  // of the instruction being read
  Opcode opcode_{};                // its word
  std::size_t pending_first_ = 0;  // of the labels that it waits for
};

}  // namespace xcuda::ptx
