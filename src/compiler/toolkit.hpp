// Where CUDA's compiler and headers are on this machine. Reads folders only; nothing is loaded.
//
// The order in which places are tried, first match wins (a match has a libnvrtc that is not too old; its headers may
// come from a later place when it has none):
//   1. CUDA_HOME, then CUDA_PATH
//   2. CONDA_PREFIX: conda's own packages, then nvidia's wheels in its lib/python3*/site-packages
//   3. nvidia's wheels of VIRTUAL_ENV, of the prefix this program is installed in, of pip --user
//   4. /usr/local/cuda, /opt/cuda, /usr
//   5. the loader's path (LD_LIBRARY_PATH, ld.so.cache)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace xcuda::compiler {

inline constexpr int kOldestMajor = 12, kOldestMinor = 4;  // of CUDA

// What to do when there is none.
inline constexpr const char* kToolkitAdvice =
    "install CUDA 12.4 or newer, set CUDA_HOME to its folder, or take NVIDIA's wheels: `pip install "
    "'xeus-cuda[cuda]'`, or "
    "`xcuda-install --cuda` in a bundle";

struct Toolkit {
  std::string origin;                 // "CUDA_HOME", "virtual environment", ...
  std::string root;                   // folder; empty when only the loader knows it
  std::string nvrtc;                  // path of libnvrtc.so.N, or its bare name for the loader
  std::vector<std::string> includes;  // folders, in order: the toolkit's, its cccl, curand's
  std::string version;                // of the headers: "13.0"; empty when there are none
  std::string fingerprint;            // changes when the library or the headers do; part of the cache key
  std::string disassembler;           // path of nvdisasm or cuobjdump; empty when there is none
};

struct TriedPlace {
  std::string origin, path;
  bool taken = false;
  std::string reason;  // "libnvrtc.so.13, headers 13.0", "no libnvrtc", "not set"
};

struct ToolkitSearch {
  std::optional<Toolkit> toolkit;
  std::vector<TriedPlace> tried;  // in order
};

struct SearchEnvironment {
  std::function<std::optional<std::string>(const std::string& variable)> variable;
  std::string prefix;  // where the program is installed (install_prefix()); empty when unknown
  std::string root;    // put before /usr/local/cuda and the like; for tests
};
SearchEnvironment current_environment();

ToolkitSearch find_toolkit(const SearchEnvironment& environment);

// The search as --doctor prints it, one place a line.
std::string describe(const ToolkitSearch& search);

// The folder of this program's own device headers (share/xcuda/include): XCUDA_SHARE, then beside the program, then the
// source tree it was built from. Empty when there is none.
std::string own_include_folder(const SearchEnvironment& environment);

}  // namespace xcuda::compiler
