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
  if (!missing.empty())
    throw Error(ErrorKind::device,
                fmt::format("cannot use a GPU: the NVIDIA driver is too old (it supports CUDA {}.{})", version / 1000,
                            version % 1000 / 10))
        .said(fmt::format("libcuda.so.1 has no {}", missing))
        .advise("install a driver for CUDA 12.0 or newer, or continue without a GPU: %device cpu");
  library.find("cuFuncLoad", driver.cuFuncLoad);
  // Libraries hold the code of thousands of kernels: only what is launched may cost time and memory. The session's own
  // kernels are loaded with their modules, since with lazy loading the first launch of a function waits for running
  // kernels: a deadlock after an endless one. A driver without cuFuncLoad has to load all.
  setenv("CUDA_MODULE_LOADING", driver.cuFuncLoad != nullptr ? "LAZY" : "EAGER", 1);
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    throw Error(ErrorKind::device, "cannot use a GPU: the NVIDIA driver finds none")
        .said(driver.text(result))
        .advise("check CUDA_VISIBLE_DEVICES and `nvidia-smi -L`, or continue without a GPU: %device cpu");
  if (result != CUDA_SUCCESS)
    throw Error(ErrorKind::device, "cannot use a GPU: cannot start the NVIDIA driver")
        .said(driver.text(result))
        .advise(advice_for_start("run `nvidia-smi`"));
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

void Driver::check(CUresult result, ErrorKind kind, std::string_view attempted) const {
  if (result == CUDA_SUCCESS) return;
  auto error = Error(kind, fmt::format("cannot {}", attempted)).said(text(result));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) error.advice = address_space_advice().value_or("");
  throw std::move(error);
}

void Driver::report(CUresult result, const char* what) const noexcept {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED || ends_context(result)) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "cannot end %s: %s (%d)\n", what, name != nullptr ? name : "CUDA error", result);
}

}  // namespace xcuda::device::cuda
