// nvJitLink, opened at run time: joins what a cell compiled with CUDA's device runtime, by which kernels launch
// kernels. device_linker.cpp is the one file that knows its interface.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

// Whether a kernel or device function of the source launches kernels.
bool launches_kernels(std::string_view source);

// Says in the request where the libraries below may be, if it needs them. `folders` are asked for only then:
// library_folders().
void add_linker_folders(CompileRequest& request, const std::function<std::vector<std::string>()>& folders);

struct LinkJob {
  std::span<const std::byte> code;   // a relocatable CUBIN
  std::string architecture;          // "sm_90"
  std::string name;                  // of the source: "In[7]"
  int major = 0;                     // of the CUDA that made it
  std::vector<std::string> folders;  // that may hold libnvJitLink and libcudadevrt.a, in order
};

// The CUBIN with the device runtime. Errors: compile, with what is missing, or what the linker said.
std::vector<std::byte> link_device_runtime(const LinkJob& job);

}  // namespace xcuda::compiler
