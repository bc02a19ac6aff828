#include "runtime/jit_link/toolkit_linker.hpp"

#include <cstdint>

#include "runtime/errors.hpp"
#include "runtime/nvidia_library.hpp"

namespace xcuda::runtime::jit_link {
namespace {

constexpr const char* kLinkerFile = "libnvJitLink.so.13";

const NvidiaLibrary& linker_library() {
  static const NvidiaLibrary library = [] {
    NvidiaLibrary found(kLinkerFile);
    if (!found)
      say(std::string(kLinkerFile) +
          " of NVIDIA was not found: set CUDA_HOME to the folder of a CUDA 13 toolkit that has it");
    return found;
  }();
  return library;
}
template <class... A> int call(const char* function, A... arguments) {
  return linker_library().call(kInternalError, function, arguments...);
}

// A text that one function gives, and another its size. Empty if they give nothing.
std::string text_of(void* handle, const char* size_function, const char* function) {
  std::size_t size = 0;
  if (call(size_function, handle, &size) != kSuccess || size == 0) return {};
  std::string text(size, '\0');
  if (call(function, handle, text.data()) != kSuccess) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

}  // namespace

std::unique_ptr<ToolkitLinker> ToolkitLinker::make(const std::vector<std::string>& options, int& status) {
  std::vector<const char*> texts;
  for (const auto& option : options) texts.push_back(option.c_str());
  void* handle = nullptr;
  status = call("nvJitLinkCreate", &handle, static_cast<std::uint32_t>(texts.size()), texts.data());
  return std::unique_ptr<ToolkitLinker>(status == kSuccess ? new ToolkitLinker(handle) : nullptr);
}
ToolkitLinker::~ToolkitLinker() { call("nvJitLinkDestroy", &handle_); }

int ToolkitLinker::add(int input, std::string_view data, const char* name) {
  return call("nvJitLinkAddData", handle_, input, static_cast<const void*>(data.data()), data.size(), name);
}
int ToolkitLinker::complete() { return call("nvJitLinkComplete", handle_); }
std::string ToolkitLinker::ptx() const {
  return text_of(handle_, "nvJitLinkGetLinkedPtxSize", "nvJitLinkGetLinkedPtx");
}
std::string ToolkitLinker::error_log() const {
  return text_of(handle_, "nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog");
}
std::string ToolkitLinker::info_log() const {
  return text_of(handle_, "nvJitLinkGetInfoLogSize", "nvJitLinkGetInfoLog");
}

int toolkit_linker_version(unsigned* major, unsigned* minor) { return call("nvJitLinkVersion", major, minor); }

}  // namespace xcuda::runtime::jit_link
