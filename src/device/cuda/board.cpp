#include "device/cuda/board.hpp"

#include "base/error.hpp"
#include "base/shared_library.hpp"

namespace xcuda::device::cuda {
namespace {

// The few functions and numbers of NVML's interface that are used, as its reference documents them. Every function
// returns 0 on success.
using NvmlDevice = void*;
enum NvmlClock : int { kMultiprocessorClock = 1, kMemoryClock = 2 };
constexpr int kGpuSensor = 0;

struct Nvml {
  SharedLibrary library;
  int (*init)() = nullptr;
  int (*find)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;        // milliwatts
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;  // milliwatts
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;

  Nvml() : library("libnvidia-ml.so.1") {
    init = library.get<int()>("nvmlInit_v2");
    find = library.get<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByUUID");
    clock = library.get<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
    temperature = library.get<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetTemperature");
    power = library.get<int(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage");
    power_limit = library.find<int(NvmlDevice, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit");
    reasons = library.find<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (init() != 0) throw Error(ErrorKind::device, "NVML does not start");
  }
};

// The reasons for lower clocks that a reader of timings has to know; "idle" and settings of applications are none.
std::string slowed_by(unsigned long long reasons) {
  constexpr struct { unsigned long long bit; const char* text; } kReasons[] = {
      {0x04, "power cap"}, {0x08, "hardware slowdown"}, {0x20, "temperature"}, {0x40, "hardware thermal slowdown"}, {0x80, "power brake"},
  };
  std::string text;
  for (const auto& reason : kReasons)
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text;
}

}  // namespace

std::optional<BoardState> read_board(const std::string& uuid) {
  try {
    static const Nvml nvml;
    NvmlDevice device = nullptr;
    if (nvml.find(uuid.c_str(), &device) != 0) return std::nullopt;
    BoardState state;
    unsigned value = 0;
    if (nvml.clock(device, kMultiprocessorClock, &value) == 0) state.clock_hz = 1e6 * value;
    if (nvml.clock(device, kMemoryClock, &value) == 0) state.memory_clock_hz = 1e6 * value;
    if (nvml.temperature(device, kGpuSensor, &value) == 0) state.temperature = static_cast<int>(value);
    if (nvml.power(device, &value) == 0) state.power = 1e-3 * value;
    if (nvml.power_limit != nullptr && nvml.power_limit(device, &value) == 0) state.power_limit = 1e-3 * value;
    unsigned long long reasons = 0;
    if (nvml.reasons != nullptr && nvml.reasons(device, &reasons) == 0) state.slowed_by = slowed_by(reasons);
    return state;
  } catch (const Error&) {
    return std::nullopt;  // no NVML here: the list of devices goes without
  }
}

}  // namespace xcuda::device::cuda
