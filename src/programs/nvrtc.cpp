// libnvrtc.so.13 for the CPU device: NVIDIA's own, which is opened at run time, told to make PTX that the device runs.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "programs/jumps.hpp"
#include "runtime/toolkit_library.hpp"

namespace {

constexpr const char* kFile = "libnvrtc.so.13";
constexpr int kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR

enum Row : int {
#define XCUDA_NVRTC_PASSED(name) row_##name,
#define XCUDA_NVRTC_CHANGED(name, how) row_##name,
#include "runtime/nvrtc_functions.def"
#undef XCUDA_NVRTC_PASSED
#undef XCUDA_NVRTC_CHANGED
  kRows
};
constexpr const char* kNames[] = {
#define XCUDA_NVRTC_PASSED(name) #name,
#define XCUDA_NVRTC_CHANGED(name, how) #name,
#include "runtime/nvrtc_functions.def"
#undef XCUDA_NVRTC_PASSED
#undef XCUDA_NVRTC_CHANGED
};

std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

int missing() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true))
    std::fprintf(stderr, "xcuda: %s was not found: set CUDA_HOME to the folder of a CUDA 13 toolkit\n", kFile);
  return kInternalError;
}
const char* missing_text(int) { return "NVRTC_ERROR_INTERNAL_ERROR"; }

using Real = std::array<const void*, kRows>;
const Real& real_functions() {
  static const Real functions = [] {
    Real found{};
    void* library = xcuda::open_toolkit_library(kFile, own_folder());
    for (int i = 0; i < kRows; ++i) {
      if (library != nullptr) found[i] = xcuda::address_in(library, kNames[i]);
      if (found[i] == nullptr)
        found[i] = i == row_nvrtcGetErrorString ? reinterpret_cast<const void*>(&missing_text)
                                                : reinterpret_cast<const void*>(&missing);
    }
    return found;
  }();
  return functions;
}

template <class Function> Function* real(Row row) {
  return reinterpret_cast<Function*>(const_cast<void*>(real_functions()[row]));
}

bool is_one_of(std::string_view option, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (option == name) return true;
  return false;
}

int compile(void* program, int count, const char* const* options) {
  std::vector<const char*> changed{"--gpu-architecture=compute_80"};
  bool lines = true;
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (is_one_of(option, {"--gpu-architecture", "-arch"})) {
      ++i;  // its value
      continue;
    }
    if (option.starts_with("--gpu-architecture=") || option.starts_with("-arch=")) continue;
    if (is_one_of(option, {"-G", "--device-debug", "-lineinfo", "--generate-line-info"})) lines = false;
    changed.push_back(options[i]);
  }
  if (lines) changed.push_back("-lineinfo");
  using Compile = int(void*, int, const char* const*);
  return real<Compile>(row_nvrtcCompileProgram)(program, static_cast<int>(changed.size()), changed.data());
}

const void* const* slots() {
  static const Real functions = [] {
    Real all = real_functions();
    all[row_nvrtcCompileProgram] = reinterpret_cast<const void*>(&compile);
    all[row_nvrtcGetCUBIN] = all[row_nvrtcGetPTX];
    all[row_nvrtcGetCUBINSize] = all[row_nvrtcGetPTXSize];
    return all;
  }();
  return functions.data();
}

}  // namespace

XCUDA_JUMP_TABLE(slots())
#define XCUDA_NVRTC_PASSED(name) XCUDA_JUMP(name, row_##name)
#define XCUDA_NVRTC_CHANGED(name, how) XCUDA_JUMP(name, row_##name)
#include "runtime/nvrtc_functions.def"
