// How much work LLVM puts into selecting the instructions of quick code, and what becomes of it where LLVM fails.
#pragma once

#include <stdexcept>

namespace xcuda::device::cpu {

// Instead of the end of the process: LLVM has found no instruction for an operation, or another fault of its own.
// The pass manager that ran has to be leaked: its passes were left in the middle of their work.
class GenerationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The name, for LLVM's option pre-RA-sched, of an order that takes little time in quick code.
inline constexpr const char* kQuickOrder = "xcuda";

// For the process: LLVM's fatal errors are thrown as GenerationFailed.
void throw_fatal_errors();

// For the time of a scope and this thread: quick code is combined like full code.
class CombineAll {
 public:
  CombineAll();
  ~CombineAll();
  CombineAll(const CombineAll&) = delete;
  CombineAll& operator=(const CombineAll&) = delete;
};

}  // namespace xcuda::device::cpu
