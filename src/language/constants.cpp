#include "language/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "cell/conditional.hpp"
#include "language/device_properties.hpp"

namespace xcuda::language {
namespace {

template <class T> std::optional<Value> limit_of(std::string_view what) {
  using Limits = std::numeric_limits<T>;
  if (what == "max") return Value::of(Limits::max());
  if (what == "min") return Value::of(Limits::min());
  if (what == "lowest") return Value::of(Limits::lowest());
  if (what == "epsilon") return Value::of(Limits::epsilon());
  if (what == "infinity") return Value::of(Limits::infinity());
  if (what == "quiet_NaN") return Value::of(Limits::quiet_NaN());
  return std::nullopt;
}

}  // namespace

std::optional<Value> numeric_limit(std::string_view name) {
  constexpr std::string_view kClass = "numeric_limits<";
  for (const std::string_view scope : {"::", "cuda::", "std::"})
    if (name.starts_with(scope)) name.remove_prefix(scope.size());
  const auto close = name.find(">::");
  if (!name.starts_with(kClass) || close == std::string_view::npos) return std::nullopt;
  const auto what = name.substr(close + 3);
  const auto type = find_type(name.substr(kClass.size(), close - kClass.size()));
  const auto kind = type ? kind_of(*type) : std::nullopt;
  if (!kind) return std::nullopt;
  switch (*kind) {
    case Kind::boolean: return limit_of<bool>(what);
    case Kind::char8: return limit_of<char>(what);
    case Kind::int8: return limit_of<signed char>(what);
    case Kind::uint8: return limit_of<unsigned char>(what);
    case Kind::int16: return limit_of<short>(what);
    case Kind::uint16: return limit_of<unsigned short>(what);
    case Kind::int32: return limit_of<int>(what);
    case Kind::uint32: return limit_of<unsigned>(what);
    case Kind::long64: return limit_of<long>(what);
    case Kind::ulong64: return limit_of<unsigned long>(what);
    case Kind::llong64: return limit_of<long long>(what);
    case Kind::ullong64: return limit_of<unsigned long long>(what);
    case Kind::float32: return limit_of<float>(what);
    case Kind::float64: return limit_of<double>(what);
    default: return std::nullopt;
  }
}

namespace {

const std::unordered_map<std::string_view, Value>& constants() {
  static const std::unordered_map<std::string_view, Value> table = {
      {"M_PI", Value::of(std::numbers::pi)},
      {"M_PI_2", Value::of(std::numbers::pi / 2)},
      {"M_PI_4", Value::of(std::numbers::pi / 4)},
      {"M_1_PI", Value::of(std::numbers::inv_pi)},
      {"M_2_PI", Value::of(2 * std::numbers::inv_pi)},
      {"M_E", Value::of(std::numbers::e)},
      {"M_LOG2E", Value::of(std::numbers::log2e)},
      {"M_LOG10E", Value::of(std::numbers::log10e)},
      {"M_LN2", Value::of(std::numbers::ln2)},
      {"M_LN10", Value::of(std::numbers::ln10)},
      {"M_2_SQRTPI", Value::of(2 * std::numbers::inv_sqrtpi)},
      {"M_SQRT2", Value::of(std::numbers::sqrt2)},
      {"M_SQRT1_2", Value::of(std::numbers::sqrt2 / 2)},
      {"std::numbers::pi", Value::of(std::numbers::pi)},
      {"std::numbers::e", Value::of(std::numbers::e)},
      {"INFINITY", Value::of(std::numeric_limits<float>::infinity())},
      {"HUGE_VAL", Value::of(std::numeric_limits<double>::infinity())},
      {"HUGE_VALF", Value::of(std::numeric_limits<float>::infinity())},
      {"NAN", Value::of(std::numeric_limits<float>::quiet_NaN())},
      {"FLT_MAX", Value::of(FLT_MAX)},
      {"FLT_MIN", Value::of(FLT_MIN)},
      {"FLT_EPSILON", Value::of(FLT_EPSILON)},
      {"DBL_MAX", Value::of(DBL_MAX)},
      {"DBL_MIN", Value::of(DBL_MIN)},
      {"DBL_EPSILON", Value::of(DBL_EPSILON)},
      {"EXIT_SUCCESS", Value::of(EXIT_SUCCESS)},
      {"EXIT_FAILURE", Value::of(EXIT_FAILURE)},
      {"RAND_MAX", Value::of(RAND_MAX)},
      {"CLOCKS_PER_SEC", Value::of(static_cast<long>(CLOCKS_PER_SEC))},
      {"CLOCK_REALTIME", Value::of(CLOCK_REALTIME)},
      {"CLOCK_MONOTONIC", Value::of(CLOCK_MONOTONIC)},
      {"CLOCK_MONOTONIC_RAW", Value::of(CLOCK_MONOTONIC_RAW)},
      {"CLOCK_PROCESS_CPUTIME_ID", Value::of(CLOCK_PROCESS_CPUTIME_ID)},
      {"CLOCK_THREAD_CPUTIME_ID", Value::of(CLOCK_THREAD_CPUTIME_ID)},
      // A FILE* for fprintf and fflush, by its number.
      {"stdout", Value::of(1)},
      {"stderr", Value::of(2)},
      {"cudaSuccess", Value::of(0)},
      {"cudaErrorInvalidValue", Value::of(1)},
      {"cudaErrorMemoryAllocation", Value::of(2)},
      {"cudaErrorInitializationError", Value::of(3)},
      {"cudaErrorInvalidConfiguration", Value::of(9)},
      {"cudaErrorInvalidSymbol", Value::of(13)},
      {"cudaErrorInvalidDevicePointer", Value::of(17)},
      {"cudaErrorInvalidMemcpyDirection", Value::of(21)},
      {"cudaErrorInsufficientDriver", Value::of(35)},
      {"cudaErrorInvalidDeviceFunction", Value::of(98)},
      {"cudaErrorNoDevice", Value::of(100)},
      {"cudaErrorInvalidDevice", Value::of(101)},
      {"cudaErrorInvalidResourceHandle", Value::of(400)},
      {"cudaErrorNotReady", Value::of(600)},
      {"cudaErrorIllegalAddress", Value::of(700)},
      {"cudaErrorLaunchOutOfResources", Value::of(701)},
      {"cudaErrorLaunchTimeout", Value::of(702)},
      {"cudaErrorPeerAccessAlreadyEnabled", Value::of(704)},
      {"cudaErrorPeerAccessNotEnabled", Value::of(705)},
      {"cudaErrorAssert", Value::of(710)},
      {"cudaErrorHostMemoryAlreadyRegistered", Value::of(712)},
      {"cudaErrorHostMemoryNotRegistered", Value::of(713)},
      {"cudaErrorLaunchFailure", Value::of(719)},
      {"cudaErrorCooperativeLaunchTooLarge", Value::of(720)},
      {"cudaErrorNotPermitted", Value::of(800)},
      {"cudaErrorNotSupported", Value::of(801)},
      {"cudaErrorUnknown", Value::of(999)},
      {"cudaComputeModeDefault", Value::of(0)},
      {"cudaComputeModeExclusive", Value::of(1)},
      {"cudaComputeModeProhibited", Value::of(2)},
      {"cudaComputeModeExclusiveProcess", Value::of(3)},
      {"cudaHostRegisterDefault", Value::of(0)},
      {"cudaHostRegisterPortable", Value::of(1)},
      {"cudaHostRegisterMapped", Value::of(2)},
      {"cudaHostRegisterIoMemory", Value::of(4)},
      {"cudaHostRegisterReadOnly", Value::of(8)},
      {"cudaEventInterprocess", Value::of(4)},
      {"cudaMemAttachSingle", Value::of(4)},
      {"cudaOccupancyDefault", Value::of(0)},
      {"cudaMemAdviseUnsetReadMostly", Value::of(2)},
      {"cudaMemAdviseUnsetPreferredLocation", Value::of(4)},
      {"cudaMemAdviseUnsetAccessedBy", Value::of(6)},
      {"cudaMemPoolAttrReleaseThreshold", Value::of(4)},
      {"cudaMemPoolAttrReservedMemCurrent", Value::of(5)},
      {"cudaMemPoolAttrReservedMemHigh", Value::of(6)},
      {"cudaMemPoolAttrUsedMemCurrent", Value::of(7)},
      {"cudaMemPoolAttrUsedMemHigh", Value::of(8)},
      {"cudaLimitStackSize", Value::of(0)},
      {"cudaLimitPrintfFifoSize", Value::of(1)},
      {"cudaLimitMallocHeapSize", Value::of(2)},
      {"cudaLimitDevRuntimeSyncDepth", Value::of(3)},
      {"cudaLimitDevRuntimePendingLaunchCount", Value::of(4)},
      {"cudaStreamCaptureModeGlobal", Value::of(0)},
      {"cudaMemcpyHostToHost", Value::of(0)},
      {"cudaMemcpyHostToDevice", Value::of(1)},
      {"cudaMemcpyDeviceToHost", Value::of(2)},
      {"cudaMemcpyDeviceToDevice", Value::of(3)},
      {"cudaMemcpyDefault", Value::of(4)},
      {"cudaMemAttachGlobal", Value::of(1)},
      {"cudaMemAttachHost", Value::of(2)},
      {"cudaHostAllocDefault", Value::of(0)},
      {"cudaHostAllocPortable", Value::of(1)},
      {"cudaHostAllocMapped", Value::of(2)},
      {"cudaHostAllocWriteCombined", Value::of(4)},
      {"cudaEventDefault", Value::of(0)},
      {"cudaEventBlockingSync", Value::of(1)},
      {"cudaEventDisableTiming", Value::of(2)},
      {"cudaStreamDefault", Value::of(0)},
      {"cudaStreamNonBlocking", Value::of(1)},
      {"cudaCpuDeviceId", Value::of(-1)},
      {"cudaMemAdviseSetReadMostly", Value::of(1)},
      {"cudaMemAdviseSetPreferredLocation", Value::of(3)},
      {"cudaMemAdviseSetAccessedBy", Value::of(5)},
      {"cudaFuncAttributeMaxDynamicSharedMemorySize", Value::of(8)},
      {"cudaFuncAttributePreferredSharedMemoryCarveout", Value::of(9)},
      {"cudaFuncCachePreferNone", Value::of(0)},
      {"cudaFuncCachePreferShared", Value::of(1)},
      {"cudaFuncCachePreferL1", Value::of(2)},
      {"cudaFuncCachePreferEqual", Value::of(3)},
      {"cudaSharedMemBankSizeDefault", Value::of(0)},
      {"cudaSharedMemBankSizeFourByte", Value::of(1)},
      {"cudaSharedMemBankSizeEightByte", Value::of(2)},
      {"cudaDeviceScheduleAuto", Value::of(0)},
      {"cudaDeviceScheduleSpin", Value::of(1)},
      {"cudaDeviceScheduleYield", Value::of(2)},
      {"cudaDeviceScheduleBlockingSync", Value::of(4)},
      {"cudaDeviceMapHost", Value::of(8)},
      {"cudaDeviceBlockingSync", Value::of(4)},
      {"cudaDeviceLmemResizeToMax", Value::of(16)},
      {"CUDART_VERSION", Value::of(cell::kRuntimeVersion)},
      {"CHAR_BIT", Value::of(CHAR_BIT)},
      {"SCHAR_MAX", Value::of(SCHAR_MAX)},
      {"SCHAR_MIN", Value::of(SCHAR_MIN)},
      {"UCHAR_MAX", Value::of(UCHAR_MAX)},
      {"SHRT_MAX", Value::of(SHRT_MAX)},
      {"SHRT_MIN", Value::of(SHRT_MIN)},
      {"USHRT_MAX", Value::of(USHRT_MAX)},
      {"INT_MAX", Value::of(INT_MAX)},
      {"INT_MIN", Value::of(INT_MIN)},
      {"UINT_MAX", Value::of(UINT_MAX)},
      {"LONG_MAX", Value::of(LONG_MAX)},
      {"LONG_MIN", Value::of(LONG_MIN)},
      {"ULONG_MAX", Value::of(ULONG_MAX)},
      {"LLONG_MAX", Value::of(LLONG_MAX)},
      {"LLONG_MIN", Value::of(LLONG_MIN)},
      {"ULLONG_MAX", Value::of(ULLONG_MAX)},
      {"INT8_MAX", Value::of(INT8_MAX)},
      {"INT8_MIN", Value::of(INT8_MIN)},
      {"UINT8_MAX", Value::of(UINT8_MAX)},
      {"INT16_MAX", Value::of(INT16_MAX)},
      {"INT16_MIN", Value::of(INT16_MIN)},
      {"UINT16_MAX", Value::of(UINT16_MAX)},
      {"INT32_MAX", Value::of(INT32_MAX)},
      {"INT32_MIN", Value::of(INT32_MIN)},
      {"UINT32_MAX", Value::of(UINT32_MAX)},
      {"INT64_MAX", Value::of(INT64_MAX)},
      {"INT64_MIN", Value::of(INT64_MIN)},
      {"UINT64_MAX", Value::of(UINT64_MAX)},
      {"SIZE_MAX", Value::of(SIZE_MAX)},
      {"std::string::npos", Value::of(std::numeric_limits<unsigned long>::max())},
      {"warpSize", Value::of(32)},
  };
  return table;
}

}  // namespace

bool is_place_name(std::string_view name) {
  static constexpr std::string_view kNames[] = {"__LINE__", "__FILE__", "__func__", "__FUNCTION__",
                                                "__PRETTY_FUNCTION__"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<Value> known_constant(std::string_view name) {
  if (name.starts_with(kDeviceAttribute))
    for (const auto& row : device_properties())
      if (!row.attribute.empty() && name.substr(kDeviceAttribute.size()) == row.attribute) return Value::of(row.number);
  const auto found = constants().find(name);
  return found == constants().end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> constant_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : constants()) names.emplace_back(name);
  for (const auto& row : device_properties())
    if (!row.attribute.empty()) names.push_back(fmt::format("{}{}", kDeviceAttribute, row.attribute));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace xcuda::language
