#include "device/cuda/board.hpp"

#include "base/shared_library.hpp"

// The few functions of NVML that are used, as its reference documents them; the numbers are below. Every function
// returns 0 on success.
extern "C" {
using NvmlDevice = void*;
int nvmlInit_v2();
int nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device);
int nvmlDeviceGetClockInfo(NvmlDevice device, int clock, unsigned* megahertz);
int nvmlDeviceGetTemperature(NvmlDevice device, int sensor, unsigned* celsius);
int nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(NvmlDevice device, unsigned* milliwatts);
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* reasons);
int nvmlDeviceGetTotalEccErrors(NvmlDevice device, int type, int counter, unsigned long long* errors);
int nvmlDeviceGetRemappedRows(NvmlDevice device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed);
int nvmlDeviceGetP2PStatus(NvmlDevice device, NvmlDevice other, int index, int* status);
int nvmlDeviceGetNvLinkState(NvmlDevice device, unsigned link, int* active);
int nvmlDeviceGetTopologyCommonAncestor(NvmlDevice device, NvmlDevice other, int* level);
}
// clang-format off
#define XCUDA_NVML_FUNCTIONS(F) \
  F(nvmlInit_v2) F(nvmlDeviceGetHandleByUUID) F(nvmlDeviceGetClockInfo) F(nvmlDeviceGetTemperature) \
  F(nvmlDeviceGetPowerUsage) F(nvmlDeviceGetEnforcedPowerLimit) F(nvmlDeviceGetCurrentClocksThrottleReasons) \
  F(nvmlDeviceGetTotalEccErrors) F(nvmlDeviceGetRemappedRows) F(nvmlDeviceGetP2PStatus) F(nvmlDeviceGetNvLinkState) \
  F(nvmlDeviceGetTopologyCommonAncestor)
// clang-format on

namespace xcuda::device::cuda {
namespace {

constexpr int kMultiprocessorClock = 1, kMemoryClock = 2, kGpuSensor = 0;
constexpr int kUncorrected = 1, kSinceStart = 0;  // of ECC

struct Nvml {
  XCUDA_FUNCTION_TABLE(XCUDA_NVML_FUNCTIONS)
  bool usable = false;

  Nvml() {
    SharedLibrary("libnvidia-ml.so.1", SharedLibrary::Lifetime::process).load(*this);
    usable = nvmlInit_v2 != nullptr && nvmlDeviceGetHandleByUUID != nullptr && nvmlInit_v2() == 0;
  }
};

// The reasons for lower clocks that a reader of timings has to know; "idle" and settings of applications do not count.
std::string slowed_by(unsigned long long reasons) {
  constexpr struct {
    unsigned long long bit;
    const char* text;
  } kReasons[] = {
      {0x04, "power cap"},   {0x08, "hardware slowdown"}, {0x20, "temperature"}, {0x40, "hardware thermal slowdown"},
      {0x80, "power brake"},
  };
  std::string text;
  for (const auto& reason : kReasons)
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text;
}

constexpr int kByNvlink = 2;         // index of a status between two GPUs, which is 0 where they have it
constexpr unsigned kMostLinks = 18;  // of a GPU, so far

// Levels: 0 on one board, 10 one PCIe switch, 20 several, 30 a host bridge, 40 a NUMA node, 50 none of these.
BoardLink::Path path_of(int level) {
  if (level <= 20) return BoardLink::Path::pcie_switch;
  if (level <= 30) return BoardLink::Path::host_bridge;
  return level <= 40 ? BoardLink::Path::numa_node : BoardLink::Path::processors;
}

std::vector<BoardLink> links_of(const Nvml& nvml, NvmlDevice device, const std::vector<std::string>& others) {
  int active_links = 0;
  for (unsigned link = 0; link < kMostLinks && nvml.nvmlDeviceGetNvLinkState != nullptr; ++link) {
    int active = 0;
    if (nvml.nvmlDeviceGetNvLinkState(device, link, &active) == 0) active_links += active != 0;
  }
  std::vector<BoardLink> links;
  for (const auto& uuid : others) {
    NvmlDevice other = nullptr;
    if (nvml.nvmlDeviceGetHandleByUUID(uuid.c_str(), &other) != 0 || other == device) continue;
    auto& link = links.emplace_back(BoardLink{uuid});
    int status = 1, level = 0;
    if (nvml.nvmlDeviceGetP2PStatus != nullptr && nvml.nvmlDeviceGetP2PStatus(device, other, kByNvlink, &status) == 0 &&
        status == 0)
      link.nvlinks = active_links;
    else if (nvml.nvmlDeviceGetTopologyCommonAncestor != nullptr &&
             nvml.nvmlDeviceGetTopologyCommonAncestor(device, other, &level) == 0)
      link.path = path_of(level);
  }
  return links;
}

}  // namespace

std::optional<BoardState> read_board(const std::string& uuid, const std::vector<std::string>& others) {
  static const Nvml nvml;
  NvmlDevice device = nullptr;
  if (!nvml.usable || nvml.nvmlDeviceGetHandleByUUID(uuid.c_str(), &device) != 0) return std::nullopt;
  BoardState state;
  // What this GPU or this NVML does not tell stays 0.
  const auto read = [](auto function, auto... arguments) {
    unsigned value = 0;
    return function != nullptr && function(arguments..., &value) == 0 ? value : 0;
  };
  state.clock_hz = 1e6 * read(nvml.nvmlDeviceGetClockInfo, device, kMultiprocessorClock);
  state.memory_clock_hz = 1e6 * read(nvml.nvmlDeviceGetClockInfo, device, kMemoryClock);
  state.temperature = static_cast<int>(read(nvml.nvmlDeviceGetTemperature, device, kGpuSensor));
  state.power = 1e-3 * read(nvml.nvmlDeviceGetPowerUsage, device);
  state.power_limit = 1e-3 * read(nvml.nvmlDeviceGetEnforcedPowerLimit, device);
  unsigned long long reasons = 0;
  if (nvml.nvmlDeviceGetCurrentClocksThrottleReasons != nullptr &&
      nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) == 0)
    state.slowed_by = slowed_by(reasons);
  unsigned long long errors = 0;
  if (nvml.nvmlDeviceGetTotalEccErrors != nullptr &&
      nvml.nvmlDeviceGetTotalEccErrors(device, kUncorrected, kSinceStart, &errors) == 0)
    state.memory_errors = errors;
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.nvmlDeviceGetRemappedRows != nullptr &&
      nvml.nvmlDeviceGetRemappedRows(device, &corrected, &uncorrected, &pending, &failed) == 0)
    state.remap_pending = pending != 0;
  state.links = links_of(nvml, device, others);
  return state;
}

}  // namespace xcuda::device::cuda
