#include "device/cuda/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/process_limits.hpp"
#include "base/units.hpp"
#include "device/cuda/driver_fault.hpp"

namespace xcuda::device::cuda {
namespace {

// cuda.h maps a name to its newest version; a driver older than the header may lack that, and for these functions
// the version before has the same signature.
std::string older_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kSameSignature = {"cuEventElapsedTime_v2", "cuDeviceGetUuid_v2",
                                                              "cuMemHostRegister_v2"};
  const auto found = std::find(kSameSignature.begin(), kSameSignature.end(), name);
  return found == kSameSignature.end() ? "" : std::string(name.substr(0, name.rfind('_')));
}

constexpr int kOldestDriver = 12'000;  // as cuDriverGetVersion() counts: CUDA 12.0

// What to do where the driver has too few addresses.
std::optional<std::string> address_space_advice() {
  const auto limit = address_space_limit();
  if (!limit) return std::nullopt;
  return fmt::format(
      "the driver reserves far more addresses than memory, but the limit on address space (ulimit -v) is {}: raise it",
      format_bytes(*limit));
}

std::string advice_for_start(std::string_view otherwise) {
  return fmt::format("{}, or continue without a GPU: %device cpu",
                     address_space_advice().value_or(std::string(otherwise)));
}

// What keeps a driver that is there from starting, by the result of cuInit.
struct NoStart {
  CUresult result;
  const char *what, *advice;
};
constexpr NoStart kNoStarts[] = {
    {CUDA_ERROR_STUB_LIBRARY, "libcuda.so.1 is the CUDA toolkit's stub, which programs are only linked with",
     "take the toolkit's folder `stubs` out of LD_LIBRARY_PATH"},
    {CUDA_ERROR_NO_DEVICE, "the NVIDIA driver finds none", "check CUDA_VISIBLE_DEVICES and `nvidia-smi -L`"},
    {CUDA_ERROR_SYSTEM_NOT_READY, "the NVIDIA driver's services are not ready",
     "wait until the machine has started; GPUs with NVSwitch need the Fabric Manager of the driver's version: "
     "`systemctl status nvidia-fabricmanager`"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "the NVIDIA driver's library and its kernel module do not match",
     "restart the machine if the driver was updated; a container needs the host's version of libcuda.so.1, which "
     "`cat /proc/driver/nvidia/version` shows"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
     "libcuda.so.1 is of a CUDA compatibility package, which this GPU does not support",
     "take the folder of cuda-compat out of LD_LIBRARY_PATH, or install a newer driver"},
    {CUDA_ERROR_MPS_CONNECTION_FAILED, "NVIDIA's Multi-Process Service (MPS) does not answer",
     "start it with `nvidia-cuda-mps-control -d`, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {CUDA_ERROR_UNKNOWN, "cannot start the NVIDIA driver",
     "load its module again, which it may need after a suspend: `sudo modprobe -r nvidia_uvm && sudo modprobe "
     "nvidia_uvm`; else see `nvidia-smi` and `sudo dmesg`"},
};

// After a driver that is too old: what it supports, and the function that it lacks, if any.
Error too_old(int version, const std::string& missing) {
  return Error(ErrorKind::device, fmt::format("cannot use a GPU: the NVIDIA driver is too old (it supports CUDA {}.{})",
                                              version / 1000, version % 1000 / 10))
      .said(missing.empty() ? "" : fmt::format("libcuda.so.1 has no {}", missing))
      .advise(fmt::format("Install a driver for CUDA {}.{} or newer, or continue without a GPU: %device cpu",
                          kOldestDriver / 1000, kOldestDriver % 1000 / 10));
}

Error no_start(const Driver& driver, CUresult result) {
  constexpr NoStart kOther = {CUDA_SUCCESS, "cannot start the NVIDIA driver", "Run `nvidia-smi`"};
  const auto* const known =
      std::find_if(std::begin(kNoStarts), std::end(kNoStarts), [&](const auto& one) { return one.result == result; });
  const auto& found = known == std::end(kNoStarts) ? kOther : *known;
  return Error(ErrorKind::device, fmt::format("cannot use a GPU: {}", found.what))
      .said(driver.text(result))
      .advise(advice_for_start(found.advice));
}

Driver open_driver() {
  const SharedLibrary library("libcuda.so.1", SharedLibrary::Lifetime::process);
  if (!library)
    throw Error(ErrorKind::device, "cannot use a GPU: cannot load the NVIDIA driver's library libcuda.so.1")
        .said(library.why_not())
        .advise(advice_for_start("install NVIDIA's driver"));
  Driver driver;
  std::string missing;
  driver.each([&](const char* name, auto& function) {
    library.find(name, function);
    if (function == nullptr) library.find(older_name(name).c_str(), function);
    if (function == nullptr && missing.empty()) missing = name;
  });
  int version = 0;
  if (driver.cuDriverGetVersion != nullptr) driver.cuDriverGetVersion(&version);
  if (!missing.empty() || version < kOldestDriver) throw too_old(version, missing);
  library.find("cuFuncLoad", driver.cuFuncLoad);
  // Libraries hold the code of thousands of kernels: only what is launched may cost time and memory. The session's own
  // kernels are loaded with their modules, since with lazy loading the first launch of a function waits for running
  // kernels: a deadlock after an endless one. A driver without cuFuncLoad has to load all.
  setenv("CUDA_MODULE_LOADING", driver.cuFuncLoad != nullptr ? "LAZY" : "EAGER", 1);
  const CUresult result = driver.cuInit(0);
  if (result != CUDA_SUCCESS) throw no_start(driver, result);
  return driver;
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver = open_driver();
  return driver;
}

std::string Driver::text(CUresult result) const {
  const char* name = nullptr;
  const char* sentence = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &sentence);
  return fmt::format("{} ({}): {}", name != nullptr ? name : "CUDA error", static_cast<int>(result),
                     sentence != nullptr ? sentence : "no text");
}

std::string Driver::advice(CUresult result, std::string_view otherwise) {
  const auto limited = result == CUDA_ERROR_OUT_OF_MEMORY ? address_space_advice() : std::nullopt;
  return limited.value_or(std::string(otherwise));
}

void Driver::check(CUresult result, ErrorKind kind, std::string_view attempted) const {
  if (result == CUDA_SUCCESS) return;
  throw Error(kind, fmt::format("cannot {}", attempted)).said(text(result)).advise(advice(result, ""));
}

void Driver::report(CUresult result, const char* what) const noexcept {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED || ends_context(result)) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "cannot end %s: %s (%d)\n", what, name != nullptr ? name : "CUDA error", result);
}

}  // namespace xcuda::device::cuda
