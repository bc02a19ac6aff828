#include "device/cuda/board.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace xcuda::device::cuda {
namespace {

// The few functions and numbers of NVML's interface that are used, as its reference documents them. Every function
// returns 0 on success.
using NvmlDevice = void*;
enum NvmlClock : int { kMultiprocessorClock = 1, kMemoryClock = 2 };
constexpr int kGpuSensor = 0;

struct Nvml {
  int (*init)() = nullptr;
  int (*find)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;        // milliwatts
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;  // milliwatts
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
  bool usable = false;

  Nvml() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    load(init, "nvmlInit_v2");
    load(find, "nvmlDeviceGetHandleByUUID");
    load(clock, "nvmlDeviceGetClockInfo");
    load(temperature, "nvmlDeviceGetTemperature");
    load(power, "nvmlDeviceGetPowerUsage");
    load(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    load(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    usable = init != nullptr && find != nullptr && init() == 0;
  }
};

// The reasons for lower clocks that a reader of timings has to know; "idle" and settings of applications are none.
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

}  // namespace

std::optional<BoardState> read_board(const std::string& uuid) {
  static const Nvml nvml;
  NvmlDevice device = nullptr;
  if (!nvml.usable || nvml.find(uuid.c_str(), &device) != 0) return std::nullopt;
  BoardState state;
  // What this GPU or this NVML does not tell stays 0.
  const auto read = [](auto function, auto... arguments) {
    unsigned value = 0;
    return function != nullptr && function(arguments..., &value) == 0 ? value : 0;
  };
  state.clock_hz = 1e6 * read(nvml.clock, device, static_cast<int>(kMultiprocessorClock));
  state.memory_clock_hz = 1e6 * read(nvml.clock, device, static_cast<int>(kMemoryClock));
  state.temperature = static_cast<int>(read(nvml.temperature, device, kGpuSensor));
  state.power = 1e-3 * read(nvml.power, device);
  state.power_limit = 1e-3 * read(nvml.power_limit, device);
  unsigned long long reasons = 0;
  if (nvml.reasons != nullptr && nvml.reasons(device, &reasons) == 0) state.slowed_by = slowed_by(reasons);
  return state;
}

}  // namespace xcuda::device::cuda
