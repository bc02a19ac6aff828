// CUDA C++ to CompileOutput, in this process. xcuda-compile serves this over a socket.
#pragma once

#include <functional>
#include <string>

#include "compiler/compile_output.hpp"
#include "compiler/nvrtc_library.hpp"
#include "compiler/toolkit.hpp"

namespace xcuda::compiler {

inline constexpr const char* kHeadersOfNvrtc = "headers";  // the part of the cache for them, where there are no others

class Compiler {
 public:
  // own_includes: the folder of this program's device headers; may be empty.
  Compiler(const Toolkit& toolkit, std::string own_includes);  // Error(compile) when NVRTC cannot be used

  // A failed compile is a value. If NVRTC can be stopped it asks `cancelled` now and then; true: Error(interrupted).
  CompileOutput compile(const CompileRequest& request, const std::function<bool()>& cancelled = {});

  const NvrtcLibrary& library() const { return library_; }

  // A small compile that loads and warms what every compile needs.
  void warm_up();

 private:
  std::vector<std::string> nvrtc_options(const CompileRequest& request) const;
  std::string known_architecture(const std::string& wanted) const;
  Diagnostic refused_option(const CompileRequest& request, const std::string& log) const;
  bool precompiles(const CompileRequest& request) const;
  void prepare_pch(const std::string& folder);
  void use_headers_of_nvrtc(const std::string& session_folder);
  void link(const CompileRequest& request, NvrtcResult& result) const;  // what was compiled in order to be linked

  Toolkit toolkit_;
  std::string own_includes_;
  NvrtcLibrary library_;
  const bool without_headers_ = toolkit_.includes.empty();
  bool pch_used_ = false;  // files of an earlier process cannot be used
};

// The options in which a cell is C++ as CUDA programmers expect it, whatever it asks for itself.
const std::vector<std::string>& standing_options();

}  // namespace xcuda::compiler
