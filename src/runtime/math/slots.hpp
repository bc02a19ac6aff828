// The functions of each library by the number of their row, for the libraries that programs link with.
#pragma once

#include "runtime/math/math_calls.hpp"
#include "runtime/refused.hpp"

namespace xcuda::runtime::math {

extern const void* const kBlasSlots[];
extern const void* const kLtSlots[];
extern const void* const kFourierSlots[];
extern const void* const kRandomSlots[];
extern const void* const kSolverSlots[];
extern const void* const kSparseSlots[];

template <Text Name, Text What, int status> int refused() {
  say_not_supported(Name.value, What.value);
  return status;
}
template <class Function> const void* slot(Function* function) { return reinterpret_cast<const void*>(function); }

}  // namespace xcuda::runtime::math

// The slot of each kind of row; XCUDA_MATH_STATUS is what a library returns for a refused function.
#define XCUDA_MATH_WORKS(name, ...) slot(__VA_ARGS__),
#define XCUDA_MATH_PARTLY(name, how, ...) slot(__VA_ARGS__),
#define XCUDA_MATH_REFUSED(name, what) slot(refused<#name, what, XCUDA_MATH_STATUS>),
