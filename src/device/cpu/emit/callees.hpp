// The device functions that a kernel calls, each once; functions not emitted yet wait in order.
#pragma once

#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

class Callees {
 public:
  explicit Callees(llvm::Module& into) : into_(into) {}
  llvm::Function* find(ptx::Index function);
  std::optional<ptx::Index> next();  // of Module::functions, to be emitted
  // Functions whose address may be in a pointer.
  const std::vector<ptx::Index>& addressed(const ptx::Module& module);

 private:
  llvm::Module& into_;
  std::map<ptx::Index, llvm::Function*> all_;
  std::vector<ptx::Index> waiting_;
  std::optional<std::vector<ptx::Index>> addressed_;
};

}  // namespace xcuda::device::cpu
