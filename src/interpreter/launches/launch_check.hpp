// A launch against the kernel's C++ signature, before anything runs. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "interpreter/launches/kernel_argument.hpp"
#include "session/launch_log.hpp"
#include "session/place.hpp"

namespace xcuda::interpreter {

using namespace session;

// How a parameter that takes a stream is written; only functions of host modules have one.
inline constexpr std::string_view kStreamType = "cudaStream_t";

struct CheckedArguments {
  std::vector<std::byte> bytes;  // laid out as the function's parameters
  std::vector<ArrayUse> arrays;
  std::vector<device::TextureArgument> textures;
};

// Errors, each at the argument's place and with the parameter's name: type (number of arguments, kind, element type,
// const), value (a number that the parameter's type cannot hold).
CheckedArguments check_arguments(const compiler::KernelSignature& kernel, const device::FunctionInfo& function,
                                 const std::vector<KernelArgument>& arguments, const Source& source, cell::Span launch);

// The error in the number, kinds or types of arguments whose values are not known yet; unknown arguments do not count.
std::optional<Error> refuse_arguments(const compiler::KernelSignature& kernel,
                                      const std::vector<std::optional<KernelArgument>>& arguments,
                                      std::span<const cell::Span> spans, const Source& source, cell::Span launch);

// Checks that the kernel uses textures as their kinds allow. Errors: type.
void check_textures(const compiler::KernelSignature& kernel, const std::vector<compiler::PtxTextureUse>& uses,
                    const std::vector<KernelArgument>& arguments, const Source& source);

struct LaunchShape {
  device::Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;
};
// Errors: launch, at the configuration's place.
void check_shape(const LaunchShape& shape, const compiler::KernelSignature& kernel,
                 const device::FunctionInfo& function, const device::DeviceInfo& device, const Source& source,
                 cell::Span configuration);

}  // namespace xcuda::interpreter
