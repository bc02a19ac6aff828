#include "runtime/function_slots.hpp"

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/own_stream.hpp"
#include "runtime/refused.hpp"
#include "runtime/runtime12.hpp"

namespace xcuda::runtime {
namespace {

template <Text Name, Text What> cudaError_t refused() {
  say_refused<Name, What>();
  return set_last(cudaErrorNotSupported);
}

#define XCUDA_RUNTIME_WORKS(name) constexpr auto function_##name = &runtime::name;
#define XCUDA_RUNTIME_PARTLY(name, how) XCUDA_RUNTIME_WORKS(name)
#define XCUDA_RUNTIME_REFUSED(name, what) constexpr auto function_##name = &refused<#name, what>;
#define XCUDA_RUNTIME_THREAD(name, as) constexpr auto function_##name = &InOwnStream<function_##as>::call;
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD

}  // namespace

const void* const kFunctionSlots[] = {
#define XCUDA_RUNTIME_WORKS(name) reinterpret_cast<const void*>(function_##name),
#define XCUDA_RUNTIME_PARTLY(name, how) XCUDA_RUNTIME_WORKS(name)
#define XCUDA_RUNTIME_REFUSED(name, what) XCUDA_RUNTIME_WORKS(name)
#define XCUDA_RUNTIME_THREAD(name, as) XCUDA_RUNTIME_WORKS(name)
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD
#define XCUDA_RUNTIME12_OWN(name) reinterpret_cast<const void*>(&v12::name),
#define XCUDA_RUNTIME12_SAME(name, as)
#define XCUDA_RUNTIME12_THREAD(name, own) reinterpret_cast<const void*>(&InOwnStream<&v12::own>::call),
#include "runtime/functions12.def"
#undef XCUDA_RUNTIME12_OWN
#undef XCUDA_RUNTIME12_SAME
#undef XCUDA_RUNTIME12_THREAD
};

}  // namespace xcuda::runtime
