#include "runtime/function_slots.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>

#include "runtime/api.hpp"
#include "runtime/calls.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

// A function that is not supported says so when it is first called. Its arguments do not matter.
template <std::size_t N> struct Text {
  constexpr Text(const char (&text)[N]) {  // NOLINT: a literal is its own text
    for (std::size_t i = 0; i < N; ++i) value[i] = text[i];
  }
  char value[N] = {};
};
template <Text Name, Text What> cudaError_t refused() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) say(fmt::format("{} is not supported on the CPU device ({})", Name.value, What.value));
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
};

}  // namespace xcuda::runtime
