#include "runtime/function_slots.hpp"

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/refused.hpp"
#include "runtime/runtime12.hpp"

namespace xcuda::runtime {
namespace {

template <Text Name, Text What> cudaError_t refused() {
  say_refused<Name, What>();
  return set_last(cudaErrorNotSupported);
}

}  // namespace

const void* const kFunctionSlots[] = {
#define XCUDA_RUNTIME_WORKS(name) reinterpret_cast<const void*>(&runtime::name),
#define XCUDA_RUNTIME_PARTLY(name, how) reinterpret_cast<const void*>(&runtime::name),
#define XCUDA_RUNTIME_REFUSED(name, what) reinterpret_cast<const void*>(&refused<#name, what>),
#define XCUDA_RUNTIME_SAME(name, as)
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_SAME
#define XCUDA_RUNTIME12_OWN(name) reinterpret_cast<const void*>(&v12::name),
#define XCUDA_RUNTIME12_SAME(name, as)
#define XCUDA_RUNTIME12_ALIAS(name, own)
#include "runtime/functions12.def"
#undef XCUDA_RUNTIME12_OWN
#undef XCUDA_RUNTIME12_SAME
#undef XCUDA_RUNTIME12_ALIAS
};

}  // namespace xcuda::runtime
