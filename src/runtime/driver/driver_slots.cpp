#include "runtime/driver/driver_slots.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/own_stream.hpp"
#include "runtime/refused.hpp"

namespace xcuda::runtime::driver {
namespace {

template <Text Name, Text What> CUresult refused_call() {
  say_refused<Name, What>();
  return CUDA_ERROR_NOT_SUPPORTED;
}

#define XCUDA_DRIVER_WORKS(name, since) constexpr auto function_##name = &driver::name;
#define XCUDA_DRIVER_PARTLY(name, since, how) XCUDA_DRIVER_WORKS(name, since)
#define XCUDA_DRIVER_REFUSED(name, since, what) constexpr auto function_##name = &refused_call<#name, what>;
#define XCUDA_DRIVER_SAME(name, since, as)
#define XCUDA_DRIVER_THREAD(name, as) constexpr auto function_##name = &InOwnStream<function_##as>::call;
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD

enum DriverRow : int {
#define XCUDA_DRIVER_WORKS(name, since) row_##name,
#define XCUDA_DRIVER_PARTLY(name, since, how) row_##name,
#define XCUDA_DRIVER_REFUSED(name, since, what) row_##name,
#define XCUDA_DRIVER_SAME(name, since, as)
#define XCUDA_DRIVER_THREAD(name, as) row_##name,
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

struct NamedRow {
  std::string_view name;
  int since;  // 0: a name for programs with a default stream of each thread
  int slot;
};
constexpr NamedRow kNames[] = {
#define XCUDA_DRIVER_WORKS(name, since) {#name, since, row_##name},
#define XCUDA_DRIVER_PARTLY(name, since, how) {#name, since, row_##name},
#define XCUDA_DRIVER_REFUSED(name, since, what) {#name, since, row_##name},
#define XCUDA_DRIVER_SAME(name, since, as) {#name, since, row_##as},
#define XCUDA_DRIVER_THREAD(name, as) {#name, 0, row_##name},
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

// "cuMemAlloc" of "cuMemAlloc_v2"
std::string_view without_version(std::string_view name) {
  const auto at = name.rfind("_v");
  return at != name.npos && name.find_first_not_of("0123456789", at + 2) == name.npos ? name.substr(0, at) : name;
}

bool is_thread_ending(std::string_view text) { return text == "_ptsz" || text == "_ptds"; }

}  // namespace

const void* const kDriverSlots[] = {
#define XCUDA_DRIVER_WORKS(name, since) reinterpret_cast<const void*>(function_##name),
#define XCUDA_DRIVER_PARTLY(name, since, how) XCUDA_DRIVER_WORKS(name, since)
#define XCUDA_DRIVER_REFUSED(name, since, what) XCUDA_DRIVER_WORKS(name, since)
#define XCUDA_DRIVER_SAME(name, since, as)
#define XCUDA_DRIVER_THREAD(name, as) XCUDA_DRIVER_WORKS(name, 0)
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

EntryPoint find_entry_point(const char* name, int version, NullStream null_stream) {
  const NamedRow* best = nullptr;
  EntryPoint point;
  for (const auto& row : kNames) {
    if (row.since == 0 || (row.name != name && without_version(row.name) != name)) continue;
    if (row.since > version) {
      point.found = EntryPoint::Found::newer;
      continue;
    }
    if (best == nullptr || row.since >= best->since) best = &row;
  }
  if (best == nullptr) return point;
  if (null_stream == NullStream::of_thread)
    for (const auto& row : kNames)
      if (row.since == 0 && row.name.starts_with(best->name) && is_thread_ending(row.name.substr(best->name.size())))
        best = &row;
  return {kDriverSlots[best->slot], EntryPoint::Found::yes};
}

CUresult cuGetProcAddress_v2(const char* name, void** to, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t kKnown = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (name == nullptr || to == nullptr || flags >= kKnown) return CUDA_ERROR_INVALID_VALUE;  // not both
  const bool of_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const auto point = find_entry_point(name, version, of_thread ? NullStream::of_thread : NullStream::of_all);
  using enum EntryPoint::Found;
  *to = const_cast<void*>(point.function);
  if (status != nullptr)
    *status = point.found == yes     ? CU_GET_PROC_ADDRESS_SUCCESS
              : point.found == newer ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return point.found == yes || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetProcAddress(const char* name, void** to, int version, cuuint64_t flags) {
  return driver::cuGetProcAddress_v2(name, to, version, flags, nullptr);
}

// What NVIDIA's own CUDA Runtime asks for first, which programs may hold (libcudart_static.a). So does NVRTC, which
// does well without.
CUresult cuGetExportTable(const void** to, const CUuuid* id) {
  constexpr unsigned char kRuntimesTable[] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
  static std::atomic<bool> told{false};
  if (id != nullptr && std::memcmp(id->bytes, kRuntimesTable, sizeof kRuntimesTable) == 0 && !told.exchange(true))
    say(
        fmt::format("{} uses NVIDIA's own CUDA Runtime, which needs a GPU: on the CPU device, compile it with the nvcc "
                    "of this session",
                    program_invocation_short_name));
  if (to != nullptr) *to = nullptr;
  return CUDA_ERROR_NO_DEVICE;
}

}  // namespace xcuda::runtime::driver
