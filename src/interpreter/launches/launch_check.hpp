// A launch against the kernel's C++ signature, before anything runs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/type.hpp"
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "session/launch_log.hpp"
#include "session/modules.hpp"
#include "session/place.hpp"
#include "session/textures.hpp"

namespace xcuda::interpreter {

using namespace session;

using Number = std::variant<std::int64_t, std::uint64_t, double>;

// An argument as it was evaluated.
struct KernelArgument {
  enum class Kind : std::uint8_t { number, pointer, null, object, texture, text } kind = Kind::number;
  Type type;  // of the number or the object; of the elements that a pointer points to
  Number number;
  std::vector<std::byte> object;   // a vector type or a struct by value
  device::Address address = 0;     // pointer
  std::uint64_t bytes_behind = 0;  // from address to the array's end
  std::string array;               // the array it points into
  bool whole_array = false;        // the array itself and not a part or a cast of it
  bool read_only = false;          // of an array declared const
  const TextureObject* texture = nullptr;
  std::string name;  // named argument; empty when positional
  cell::Span span;
};

struct CheckedArguments {
  std::vector<std::byte> bytes;  // laid out as the function's parameters
  std::vector<ArrayUse> arrays;
  std::vector<device::TextureArgument> textures;
};

// Which of a kernel's overloads takes these arguments best, as C++ chooses: without a conversion where one does.
// Errors: type (none takes them, or two do equally well), at the launch.
const Kernel& choose_overload(const std::vector<Kernel>& overloads, const std::vector<KernelArgument>& arguments,
                              const Source& source, cell::Span launch);

// Errors, each at the argument's place and with the parameter's name: type (number of arguments, kind, element type,
// const), value (a number that the parameter's type cannot hold).
CheckedArguments check_arguments(const compiler::KernelSignature& kernel, const device::FunctionInfo& function,
                                 const std::vector<KernelArgument>& arguments, const Source& source, cell::Span launch);

// What is wrong with the number, the kinds and the types of arguments whose values are not known yet; those that are
// not known at all are left out.
std::optional<Error> refuse_arguments(const compiler::KernelSignature& kernel,
                                      const std::vector<std::optional<KernelArgument>>& arguments,
                                      std::span<const cell::Span> spans, const Source& source, cell::Span launch);

// Whether textures are used as what they are. Errors: type.
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
