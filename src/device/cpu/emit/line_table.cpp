#include "device/cpu/emit/line_table.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace xcuda::device::cpu {

std::string part_text(CodePart part) {
  switch (part) {
    case CodePart::some_lanes: return "some lanes";
    case CodePart::one_lane: return "one lane";
    case CodePart::check: return "a check that failed";
    case CodePart::none:
    case CodePart::all_lanes: break;
  }
  return {};
}

LineTable::LineTable(llvm::Module& into)
    : builder_(into),
      unit_(builder_.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, file("kernel"), "xeus-cuda", true, "", 0, "",
                                       llvm::DICompileUnit::LineTablesOnly)) {
  into.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  into.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
}

llvm::DIFile* LineTable::file(const std::string& name) { return builder_.createFile(name, ""); }

void LineTable::begin(llvm::Function* function) {
  scopes_.clear();
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  function_ = builder_.createFunction(unit_, function->getName(), function->getName(), unit_->getFile(), 0, type, 0,
                                      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function->setSubprogram(function_);
}

llvm::DebugLoc LineTable::at(const Place& place, CodePart part) {
  llvm::DIScope*& scope = scopes_[place.source];
  if (scope == nullptr) scope = builder_.createLexicalBlockFile(function_, file(place.source));
  return llvm::DILocation::get(scope->getContext(), static_cast<unsigned>(place.line), static_cast<unsigned>(part),
                               scope);
}

void LineTable::finish() { builder_.finalize(); }

}  // namespace xcuda::device::cpu
