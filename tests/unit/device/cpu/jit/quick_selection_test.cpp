#include "device/cpu/jit/quick_selection.hpp"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "base/error.hpp"
#include "device/cpu/jit/jit.hpp"

namespace xcuda::device::cpu {
namespace {

// A function that returns what another function gives for 1.
void call_in(llvm::Module& module, const char* name) {
  llvm::IRBuilder<> b(module.getContext());
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), false),
                                          llvm::Function::ExternalLinkage, "kernel", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  b.CreateRet(b.CreateCall(module.getOrInsertFunction(name, type), {b.getInt32(1)}));
}

TEST(Selection, AnOperationThatTheProcessorLacksIsAnErrorAndNotTheEnd) {
  const Jit jit("");
  for (const Tier tier : {Tier::quick, Tier::full}) {
    llvm::LLVMContext context;
    llvm::Module module("foreign", context);
    jit.prepare(module);
    call_in(module, "llvm.aarch64.cls");
    try {
      jit.object(module, Dispatch::inlined, tier);
      ADD_FAILURE() << "the object was made";
    } catch (const Error& error) {
      EXPECT_NE(error.library.find("Cannot select"), std::string::npos) << error.library;
    }
  }
  llvm::LLVMContext context;
  llvm::Module module("after it", context);
  jit.prepare(module);
  call_in(module, "other");
  EXPECT_FALSE(jit.object(module, Dispatch::inlined, Tier::quick).empty());
}

}  // namespace
}  // namespace xcuda::device::cpu
