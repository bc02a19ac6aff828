// The toolkit of this machine; tests that need one are skipped, by name, where there is none.
#pragma once

#include <gtest/gtest.h>

#include "compiler/compiler.hpp"
#include "compiler/toolkit.hpp"
#include "tests/places.hpp"

namespace xcuda::compiler {

inline const ToolkitSearch& machine_toolkit() {
  static const auto search = find_toolkit(current_environment());
  return search;
}

inline std::string tree_includes() { return test::source_file("share/xcuda/include"); }

// One compiler for all tests of a program: loading NVRTC takes longer than most of them.
inline Compiler& machine_compiler() {
  static Compiler compiler(*machine_toolkit().toolkit, tree_includes());
  return compiler;
}

class WithToolkit : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine_toolkit().toolkit) GTEST_SKIP() << "no CUDA toolkit on this machine";
  }
};

// A cell as the assembled program holds it.
inline CompileRequest request_of(const std::string& source) {
  CompileRequest request;
  request.name = "/In[7]";
  request.source = "#line 1 \"/In[7]\"\n" + source;
  request.architecture = "compute_80";
  return request;
}

}  // namespace xcuda::compiler
