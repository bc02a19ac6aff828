// Where machine code comes from, as debug information: only for %sass, because it takes time to make. The line is the
// cell's. A column would be of no use there, so it tells which of a line's several codes this is.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugLoc.h>

#include <map>
#include <string>

#include "base/error.hpp"

namespace xcuda::device::cpu {

enum class CodePart : std::uint8_t {
  none,
  all_lanes,   // all 32 lanes are on
  some_lanes,  // they have diverged
  one_lane,    // one after the other
  check,       // a check failed at first sight
};
std::string part_text(CodePart part);  // "some lanes"; empty for all of them

class LineTable {
 public:
  explicit LineTable(llvm::Module& into);

  void begin(llvm::Function* function);  // what follows is in it
  llvm::DebugLoc at(const Place& place, CodePart part);
  void finish();  // when everything is emitted

 private:
  llvm::DIFile* file(const std::string& name);

  llvm::DIBuilder builder_;
  llvm::DICompileUnit* unit_;
  llvm::DISubprogram* function_ = nullptr;
  std::map<std::string, llvm::DIScope*> scopes_;  // of the function, by file
};

}  // namespace xcuda::device::cpu
