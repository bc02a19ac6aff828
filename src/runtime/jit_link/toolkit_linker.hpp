// NVIDIA's own libnvJitLink.so.13, opened at run time: it makes PTX of LTO-IR, and finds what is wrong with PTX.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::runtime::jit_link {

enum Status : int {  // nvJitLinkResult
  kSuccess = 0,
  kInternalError = 6,
  kUnrecognizedInput = 8,
  kNullInput = 10,
  kWrongInput = 12,
};
enum Input : int {  // nvJitLinkInputType
  kCubin = 1,
  kPtx,
  kLto,
  kFatBinary,
  kObject,
  kLibrary,
  kIndex,
  kAny = 10,
};

class ToolkitLinker {
 public:
  // Null if the library refuses the options, with its status, or if it was not found, with kInternalError.
  static std::unique_ptr<ToolkitLinker> make(const std::vector<std::string>& options, int& status);
  ToolkitLinker(const ToolkitLinker&) = delete;
  ToolkitLinker& operator=(const ToolkitLinker&) = delete;
  ~ToolkitLinker();

  int add(int input, std::string_view data, const char* name);
  int complete();
  std::string ptx() const;
  std::string error_log() const;
  std::string info_log() const;

 private:
  explicit ToolkitLinker(void* handle) : handle_(handle) {}
  void* handle_;
};

int toolkit_linker_version(unsigned* major, unsigned* minor);

}  // namespace xcuda::runtime::jit_link
