// nvJitLink, opened at run time: joins what a cell compiled with CUDA's device runtime, by which kernels launch
// kernels, and with LTO code of NVIDIA's device libraries. device_linker.cpp is the one file that knows its interface.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::span<const std::byte> code;   // a relocatable CUBIN, or LTO code
  std::string architecture;          // "sm_90"
  std::string name;                  // of the source: "In[7]"
  int major = 0;                     // of the CUDA that made it
  std::vector<std::string> folders;  // folders that may hold libnvJitLink and libcudadevrt.a, in order
  std::vector<std::string> files{};  // LTO code to link with
};

// The CUBIN with the device runtime. Errors: compile, with what is missing, or what the linker said.
std::vector<std::byte> link_device_runtime(const LinkJob& job);

// LTO code with that of the files, as PTX; as a CUBIN with the device runtime, too, if the source launches kernels.
enum class DeviceRuntime : std::uint8_t { none, linked };
std::string link_to_ptx(const LinkJob& job);
std::vector<std::byte> link_to_cubin(const LinkJob& job, DeviceRuntime runtime);

}  // namespace xcuda::compiler
