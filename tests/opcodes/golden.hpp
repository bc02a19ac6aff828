// What a GPU answered: tests/golden/ptx/FAMILY.txt. An instruction is a heading, and below it each case is a line, so
// that a result that changes is one line of a difference, and `git diff` names its instruction:
//   add.rm.f32
//    3f800000 7f800000 = 7f800000
// Inputs and results are bits. Where a result depends on other lanes, the line begins with the slot.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/opcodes/cases.hpp"

namespace xcuda::opcodes {

class Golden {
 public:
  Golden() = default;
  explicit Golden(const std::string& family);  // none if there is no such file
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }  // instructions
  // The results of all slots. None if the file does not have the instruction, or has it with other inputs.
  std::vector<std::uint64_t> find(const Case& one) const;
  void set(const Case& one, const std::vector<std::uint64_t>& results);
  void write(const std::string& family) const;

 private:
  std::map<std::string, std::vector<std::string>> lines_;  // of an instruction
};

}  // namespace xcuda::opcodes
