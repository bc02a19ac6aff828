// How much work LLVM puts into selecting the instructions of quick code, and what becomes of it where LLVM fails.
#pragma once

#include "base/error.hpp"

namespace xcuda::device::cpu {

// Instead of the end of the process: LLVM has found no instruction for an operation, or another fault of its own.
// The pass manager that ran has to be leaked: its passes were left in the middle of their work.
class GenerationFailed : public Error {
 public:
  explicit GenerationFailed(const char* reason)
      : Error(ErrorKind::internal, "LLVM cannot generate code for this kernel") {
    library = reason;
  }
};

// The name, for LLVM's option pre-RA-sched, of an order that takes little time in quick code.
inline constexpr const char* kQuickOrder = "xcuda";

// For the process: LLVM's fatal errors are thrown as GenerationFailed.
void throw_fatal_errors();

// For the time of a scope and this thread: instructions of quick code are selected like those of full code.
class SelectFully {
 public:
  SelectFully();
  ~SelectFully();
  SelectFully(const SelectFully&) = delete;
  SelectFully& operator=(const SelectFully&) = delete;
};

}  // namespace xcuda::device::cpu
