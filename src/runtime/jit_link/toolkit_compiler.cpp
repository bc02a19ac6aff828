#include "runtime/jit_link/toolkit_compiler.hpp"

#include <cstddef>
#include <vector>

#include "runtime/nvidia_library.hpp"

namespace xcuda::runtime::jit_link {
namespace {

constexpr const char* kNvrtcFile = "libnvrtc.so.13";
constexpr int kNoLibrary = -1;

const NvidiaLibrary& nvrtc_library() {
  static const NvidiaLibrary library(kNvrtcFile);
  return library;
}
template <class... A> int call_nvrtc(const char* function, A... arguments) {
  return nvrtc_library().call(kNoLibrary, function, arguments...);
}

std::string bytes_of(void* program, const char* size_function, const char* function) {
  std::size_t size = 0;
  if (call_nvrtc(size_function, program, &size) != 0) return {};
  std::string bytes(size, '\0');
  return call_nvrtc(function, program, bytes.data()) == 0 ? bytes : std::string();
}

}  // namespace

CompiledSource compile_with_toolkit(const std::string& source, CompiledForm form) {
  void* program = nullptr;
  const char* const nothing = nullptr;
  if (call_nvrtc("nvrtcCreateProgram", &program, source.c_str(), "xcuda.cu", 0, &nothing, &nothing) != 0)
    return {{}, std::string(kNvrtcFile) + " of NVIDIA was not found: set CUDA_HOME to the folder of a CUDA 13 toolkit"};
  std::vector<const char*> options{"--gpu-architecture=compute_80", "--relocatable-device-code=true"};
  if (form == CompiledForm::lto) options.push_back("--dlink-time-opt");
  CompiledSource compiled;
  if (call_nvrtc("nvrtcCompileProgram", program, static_cast<int>(options.size()), options.data()) != 0)
    compiled.log = bytes_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
  else if (form == CompiledForm::lto)
    compiled.code = bytes_of(program, "nvrtcGetLTOIRSize", "nvrtcGetLTOIR");
  else
    compiled.code = bytes_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  call_nvrtc("nvrtcDestroyProgram", &program);
  return compiled;
}

}  // namespace xcuda::runtime::jit_link
