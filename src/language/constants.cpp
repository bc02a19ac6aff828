#include "language/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "cell/conditional.hpp"
#include "language/device_properties.hpp"

namespace xcuda::language {
namespace {

template <class T> std::optional<ScalarValue> limit_of(std::string_view what) {
  using Limits = std::numeric_limits<T>;
  if (what == "max") return ScalarValue::of(Limits::max());
  if (what == "min") return ScalarValue::of(Limits::min());
  if (what == "lowest") return ScalarValue::of(Limits::lowest());
  if (what == "epsilon") return ScalarValue::of(Limits::epsilon());
  if (what == "infinity") return ScalarValue::of(Limits::infinity());
  if (what == "quiet_NaN") return ScalarValue::of(Limits::quiet_NaN());
  return std::nullopt;
}

}  // namespace

std::optional<ScalarValue> numeric_limit(std::string_view name) {
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

constexpr RuntimeError kRuntimeErrors[] = {
#define XCUDA_CUDA_ERROR(name, number, text) {#name, number, text},
#include "base/cuda_errors.def"
#undef XCUDA_CUDA_ERROR
};

using Constants = std::unordered_map<std::string_view, ScalarValue>;

Constants make_constants() {
  Constants table = {
      {"M_PI", ScalarValue::of(std::numbers::pi)},
      {"M_PI_2", ScalarValue::of(std::numbers::pi / 2)},
      {"M_PI_4", ScalarValue::of(std::numbers::pi / 4)},
      {"M_1_PI", ScalarValue::of(std::numbers::inv_pi)},
      {"M_2_PI", ScalarValue::of(2 * std::numbers::inv_pi)},
      {"M_E", ScalarValue::of(std::numbers::e)},
      {"M_LOG2E", ScalarValue::of(std::numbers::log2e)},
      {"M_LOG10E", ScalarValue::of(std::numbers::log10e)},
      {"M_LN2", ScalarValue::of(std::numbers::ln2)},
      {"M_LN10", ScalarValue::of(std::numbers::ln10)},
      {"M_2_SQRTPI", ScalarValue::of(2 * std::numbers::inv_sqrtpi)},
      {"M_SQRT2", ScalarValue::of(std::numbers::sqrt2)},
      {"M_SQRT1_2", ScalarValue::of(std::numbers::sqrt2 / 2)},
      {"std::numbers::pi", ScalarValue::of(std::numbers::pi)},
      {"std::numbers::e", ScalarValue::of(std::numbers::e)},
      {"INFINITY", ScalarValue::of(std::numeric_limits<float>::infinity())},
      {"HUGE_VAL", ScalarValue::of(std::numeric_limits<double>::infinity())},
      {"HUGE_VALF", ScalarValue::of(std::numeric_limits<float>::infinity())},
      {"NAN", ScalarValue::of(std::numeric_limits<float>::quiet_NaN())},
      {"FLT_MAX", ScalarValue::of(FLT_MAX)},
      {"FLT_MIN", ScalarValue::of(FLT_MIN)},
      {"FLT_EPSILON", ScalarValue::of(FLT_EPSILON)},
      {"DBL_MAX", ScalarValue::of(DBL_MAX)},
      {"DBL_MIN", ScalarValue::of(DBL_MIN)},
      {"DBL_EPSILON", ScalarValue::of(DBL_EPSILON)},
      {"EXIT_SUCCESS", ScalarValue::of(EXIT_SUCCESS)},
      {"EXIT_FAILURE", ScalarValue::of(EXIT_FAILURE)},
      {"RAND_MAX", ScalarValue::of(RAND_MAX)},
      {"CLOCKS_PER_SEC", ScalarValue::of(static_cast<long>(CLOCKS_PER_SEC))},
      {"CLOCK_REALTIME", ScalarValue::of(CLOCK_REALTIME)},
      {"CLOCK_MONOTONIC", ScalarValue::of(CLOCK_MONOTONIC)},
      {"CLOCK_MONOTONIC_RAW", ScalarValue::of(CLOCK_MONOTONIC_RAW)},
      {"CLOCK_PROCESS_CPUTIME_ID", ScalarValue::of(CLOCK_PROCESS_CPUTIME_ID)},
      {"CLOCK_THREAD_CPUTIME_ID", ScalarValue::of(CLOCK_THREAD_CPUTIME_ID)},
      // A FILE* for fprintf and fflush, by its number.
      {"stdout", ScalarValue::of(1)},
      {"stderr", ScalarValue::of(2)},
      {"EOF", ScalarValue::of(EOF)},
      {"cudaComputeModeDefault", ScalarValue::of(0)},
      {"cudaComputeModeExclusive", ScalarValue::of(1)},
      {"cudaComputeModeProhibited", ScalarValue::of(2)},
      {"cudaComputeModeExclusiveProcess", ScalarValue::of(3)},
      {"cudaHostRegisterDefault", ScalarValue::of(0)},
      {"cudaHostRegisterPortable", ScalarValue::of(1)},
      {"cudaHostRegisterMapped", ScalarValue::of(2)},
      {"cudaHostRegisterIoMemory", ScalarValue::of(4)},
      {"cudaHostRegisterReadOnly", ScalarValue::of(8)},
      {"cudaEventInterprocess", ScalarValue::of(4)},
      {"cudaMemAttachSingle", ScalarValue::of(4)},
      {"cudaOccupancyDefault", ScalarValue::of(0)},
      {"cudaMemAdviseUnsetReadMostly", ScalarValue::of(2)},
      {"cudaMemAdviseUnsetPreferredLocation", ScalarValue::of(4)},
      {"cudaMemAdviseUnsetAccessedBy", ScalarValue::of(6)},
      {"cudaMemPoolAttrReleaseThreshold", ScalarValue::of(4)},
      {"cudaMemPoolAttrReservedMemCurrent", ScalarValue::of(5)},
      {"cudaMemPoolAttrReservedMemHigh", ScalarValue::of(6)},
      {"cudaMemPoolAttrUsedMemCurrent", ScalarValue::of(7)},
      {"cudaMemPoolAttrUsedMemHigh", ScalarValue::of(8)},
      {"cudaLimitStackSize", ScalarValue::of(0)},
      {"cudaLimitPrintfFifoSize", ScalarValue::of(1)},
      {"cudaLimitMallocHeapSize", ScalarValue::of(2)},
      {"cudaLimitDevRuntimeSyncDepth", ScalarValue::of(3)},
      {"cudaLimitDevRuntimePendingLaunchCount", ScalarValue::of(4)},
      {"cudaLimitMaxL2FetchGranularity", ScalarValue::of(5)},
      {"cudaLimitPersistingL2CacheSize", ScalarValue::of(6)},
      {"cudaGraphExecUpdateSuccess", ScalarValue::of(0)},
      {"cudaStreamCaptureModeGlobal", ScalarValue::of(0)},
      {"cudaStreamCaptureModeThreadLocal", ScalarValue::of(1)},
      {"cudaStreamCaptureModeRelaxed", ScalarValue::of(2)},
      {"cudaStreamCaptureStatusNone", ScalarValue::of(0)},
      {"cudaStreamCaptureStatusActive", ScalarValue::of(1)},
      {"cudaStreamCaptureStatusInvalidated", ScalarValue::of(2)},
      {"cudaMemoryTypeUnregistered", ScalarValue::of(0)},
      {"cudaMemoryTypeHost", ScalarValue::of(1)},
      {"cudaMemoryTypeDevice", ScalarValue::of(2)},
      {"cudaMemoryTypeManaged", ScalarValue::of(3)},
      {"cudaMemLocationTypeInvalid", ScalarValue::of(0)},
      {"cudaMemLocationTypeNone", ScalarValue::of(0)},
      {"cudaMemLocationTypeDevice", ScalarValue::of(1)},
      {"cudaMemLocationTypeHost", ScalarValue::of(2)},
      {"cudaMemLocationTypeHostNuma", ScalarValue::of(3)},
      {"cudaMemLocationTypeHostNumaCurrent", ScalarValue::of(4)},
      {"cudaInvalidDeviceId", ScalarValue::of(-2)},
      {"cudaPeerAccessDefault", ScalarValue::of(0)},
      {"cudaDevP2PAttrPerformanceRank", ScalarValue::of(1)},
      {"cudaDevP2PAttrAccessSupported", ScalarValue::of(2)},
      {"cudaDevP2PAttrNativeAtomicSupported", ScalarValue::of(3)},
      {"cudaDevP2PAttrCudaArrayAccessSupported", ScalarValue::of(4)},
      {"cudaEventRecordDefault", ScalarValue::of(0)},
      {"cudaEventRecordExternal", ScalarValue::of(1)},
      {"cudaEventWaitDefault", ScalarValue::of(0)},
      {"cudaEventWaitExternal", ScalarValue::of(1)},
      {"cudaOccupancyDisableCachingOverride", ScalarValue::of(1)},
      {"cudaLaunchAttributeIgnore", ScalarValue::of(0)},
      {"cudaLaunchAttributeAccessPolicyWindow", ScalarValue::of(1)},
      {"cudaLaunchAttributeCooperative", ScalarValue::of(2)},
      {"cudaLaunchAttributeSynchronizationPolicy", ScalarValue::of(3)},
      {"cudaLaunchAttributeClusterDimension", ScalarValue::of(4)},
      {"cudaLaunchAttributeClusterSchedulingPolicyPreference", ScalarValue::of(5)},
      {"cudaLaunchAttributeProgrammaticStreamSerialization", ScalarValue::of(6)},
      {"cudaLaunchAttributeProgrammaticEvent", ScalarValue::of(7)},
      {"cudaLaunchAttributePriority", ScalarValue::of(8)},
      {"cudaLaunchAttributeMemSyncDomainMap", ScalarValue::of(9)},
      {"cudaLaunchAttributeMemSyncDomain", ScalarValue::of(10)},
      {"cudaLaunchAttributePreferredClusterDimension", ScalarValue::of(11)},
      {"cudaLaunchAttributeLaunchCompletionEvent", ScalarValue::of(12)},
      {"cudaLaunchAttributeDeviceUpdatableKernelNode", ScalarValue::of(13)},
      {"cudaLaunchAttributePreferredSharedMemoryCarveout", ScalarValue::of(14)},
      {"cudaClusterSchedulingPolicyDefault", ScalarValue::of(0)},
      {"cudaClusterSchedulingPolicySpread", ScalarValue::of(1)},
      {"cudaClusterSchedulingPolicyLoadBalancing", ScalarValue::of(2)},
      {"cudaMemPoolReuseFollowEventDependencies", ScalarValue::of(1)},
      {"cudaMemPoolReuseAllowOpportunistic", ScalarValue::of(2)},
      {"cudaMemPoolReuseAllowInternalDependencies", ScalarValue::of(3)},
      {"cudaMemcpyHostToHost", ScalarValue::of(0)},
      {"cudaMemcpyHostToDevice", ScalarValue::of(1)},
      {"cudaMemcpyDeviceToHost", ScalarValue::of(2)},
      {"cudaMemcpyDeviceToDevice", ScalarValue::of(3)},
      {"cudaMemcpyDefault", ScalarValue::of(4)},
      {"cudaMemAttachGlobal", ScalarValue::of(1)},
      {"cudaMemAttachHost", ScalarValue::of(2)},
      {"cudaHostAllocDefault", ScalarValue::of(0)},
      {"cudaHostAllocPortable", ScalarValue::of(1)},
      {"cudaHostAllocMapped", ScalarValue::of(2)},
      {"cudaHostAllocWriteCombined", ScalarValue::of(4)},
      {"cudaEventDefault", ScalarValue::of(0)},
      {"cudaEventBlockingSync", ScalarValue::of(1)},
      {"cudaEventDisableTiming", ScalarValue::of(2)},
      {"cudaStreamDefault", ScalarValue::of(0)},
      {"cudaStreamNonBlocking", ScalarValue::of(1)},
      {"cudaCpuDeviceId", ScalarValue::of(-1)},
      {"cudaMemAdviseSetReadMostly", ScalarValue::of(1)},
      {"cudaMemAdviseSetPreferredLocation", ScalarValue::of(3)},
      {"cudaMemAdviseSetAccessedBy", ScalarValue::of(5)},
      {"cudaFuncAttributeMaxDynamicSharedMemorySize", ScalarValue::of(8)},
      {"cudaFuncAttributePreferredSharedMemoryCarveout", ScalarValue::of(9)},
      {"cudaFuncAttributeClusterDimMustBeSet", ScalarValue::of(10)},
      {"cudaFuncAttributeRequiredClusterWidth", ScalarValue::of(11)},
      {"cudaFuncAttributeRequiredClusterHeight", ScalarValue::of(12)},
      {"cudaFuncAttributeRequiredClusterDepth", ScalarValue::of(13)},
      {"cudaFuncAttributeNonPortableClusterSizeAllowed", ScalarValue::of(14)},
      {"cudaFuncAttributeClusterSchedulingPolicyPreference", ScalarValue::of(15)},
      {"cudaFuncCachePreferNone", ScalarValue::of(0)},
      {"cudaFuncCachePreferShared", ScalarValue::of(1)},
      {"cudaFuncCachePreferL1", ScalarValue::of(2)},
      {"cudaFuncCachePreferEqual", ScalarValue::of(3)},
      {"cudaSharedMemBankSizeDefault", ScalarValue::of(0)},
      {"cudaSharedMemBankSizeFourByte", ScalarValue::of(1)},
      {"cudaSharedMemBankSizeEightByte", ScalarValue::of(2)},
      {"cudaDeviceScheduleAuto", ScalarValue::of(0)},
      {"cudaDeviceScheduleSpin", ScalarValue::of(1)},
      {"cudaDeviceScheduleYield", ScalarValue::of(2)},
      {"cudaDeviceScheduleBlockingSync", ScalarValue::of(4)},
      {"cudaDeviceMapHost", ScalarValue::of(8)},
      {"cudaDeviceBlockingSync", ScalarValue::of(4)},
      {"cudaDeviceLmemResizeToMax", ScalarValue::of(16)},
      {"CUDART_VERSION", ScalarValue::of(cell::kRuntimeVersion)},
      {"CHAR_BIT", ScalarValue::of(CHAR_BIT)},
      {"SCHAR_MAX", ScalarValue::of(SCHAR_MAX)},
      {"SCHAR_MIN", ScalarValue::of(SCHAR_MIN)},
      {"UCHAR_MAX", ScalarValue::of(UCHAR_MAX)},
      {"SHRT_MAX", ScalarValue::of(SHRT_MAX)},
      {"SHRT_MIN", ScalarValue::of(SHRT_MIN)},
      {"USHRT_MAX", ScalarValue::of(USHRT_MAX)},
      {"INT_MAX", ScalarValue::of(INT_MAX)},
      {"INT_MIN", ScalarValue::of(INT_MIN)},
      {"UINT_MAX", ScalarValue::of(UINT_MAX)},
      {"LONG_MAX", ScalarValue::of(LONG_MAX)},
      {"LONG_MIN", ScalarValue::of(LONG_MIN)},
      {"ULONG_MAX", ScalarValue::of(ULONG_MAX)},
      {"LLONG_MAX", ScalarValue::of(LLONG_MAX)},
      {"LLONG_MIN", ScalarValue::of(LLONG_MIN)},
      {"ULLONG_MAX", ScalarValue::of(ULLONG_MAX)},
      {"INT8_MAX", ScalarValue::of(INT8_MAX)},
      {"INT8_MIN", ScalarValue::of(INT8_MIN)},
      {"UINT8_MAX", ScalarValue::of(UINT8_MAX)},
      {"INT16_MAX", ScalarValue::of(INT16_MAX)},
      {"INT16_MIN", ScalarValue::of(INT16_MIN)},
      {"UINT16_MAX", ScalarValue::of(UINT16_MAX)},
      {"INT32_MAX", ScalarValue::of(INT32_MAX)},
      {"INT32_MIN", ScalarValue::of(INT32_MIN)},
      {"UINT32_MAX", ScalarValue::of(UINT32_MAX)},
      {"INT64_MAX", ScalarValue::of(INT64_MAX)},
      {"INT64_MIN", ScalarValue::of(INT64_MIN)},
      {"UINT64_MAX", ScalarValue::of(UINT64_MAX)},
      {"SIZE_MAX", ScalarValue::of(SIZE_MAX)},
      {"std::string::npos", ScalarValue::of(std::numeric_limits<unsigned long>::max())},
      {"warpSize", ScalarValue::of(32)},
  };
  for (const auto& error : kRuntimeErrors) table.emplace(error.name, ScalarValue::of(error.number));
  return table;
}

const Constants& constants() {
  static const Constants table = make_constants();
  return table;
}

}  // namespace

const RuntimeError* find_runtime_error(std::int64_t number) {
  const auto* found = std::find_if(std::begin(kRuntimeErrors), std::end(kRuntimeErrors),
                                   [&](const auto& one) { return one.number == number; });
  return found == std::end(kRuntimeErrors) ? nullptr : found;
}

bool is_place_name(std::string_view name) {
  static constexpr std::string_view kNames[] = {"__LINE__", "__FILE__", "__func__", "__FUNCTION__",
                                                "__PRETTY_FUNCTION__"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<ScalarValue> known_constant(std::string_view name) {
  if (name.starts_with(kDeviceAttribute))
    for (const auto& row : device_properties())
      if (!row.attribute.empty() && name.substr(kDeviceAttribute.size()) == row.attribute)
        return ScalarValue::of(row.number);
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
