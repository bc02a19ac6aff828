#include "runtime/driver/driver_slots.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/refused.hpp"

namespace xcuda::runtime::driver {
namespace {

template <Text Name, Text What> CUresult refused_call() {
  say_refused<Name, What>();
  return CUDA_ERROR_NOT_SUPPORTED;
}

enum DriverRow : int {
#define XCUDA_DRIVER_WORKS(name, since) row_##name,
#define XCUDA_DRIVER_PARTLY(name, since, how) row_##name,
#define XCUDA_DRIVER_REFUSED(name, since, what) row_##name,
#define XCUDA_DRIVER_SAME(name, since, as)
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
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
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
};

// "cuMemAlloc" of "cuMemAlloc_v2"
std::string_view without_version(std::string_view name) {
  const auto at = name.rfind("_v");
  return at != name.npos && name.find_first_not_of("0123456789", at + 2) == name.npos ? name.substr(0, at) : name;
}

}  // namespace

const void* const kDriverSlots[] = {
#define XCUDA_DRIVER_WORKS(name, since) reinterpret_cast<const void*>(&driver::name),
#define XCUDA_DRIVER_PARTLY(name, since, how) reinterpret_cast<const void*>(&driver::name),
#define XCUDA_DRIVER_REFUSED(name, since, what) reinterpret_cast<const void*>(&refused_call<#name, what>),
#define XCUDA_DRIVER_SAME(name, since, as)
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
};

EntryPoint find_entry_point(const char* name, int version) {
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
  if (best != nullptr) point = {kDriverSlots[best->slot], EntryPoint::Found::yes};
  return point;
}

CUresult cuGetProcAddress_v2(const char* name, void** to, int version, cuuint64_t,
                             CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto point = find_entry_point(name, version);
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
