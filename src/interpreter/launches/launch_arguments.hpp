// The arguments of a launch: values of statements as kernels take them.
#pragma once

#include <vector>

#include <optional>
#include "cell/tree.hpp"
#include "compiler/compile_output.hpp"
#include "device/device.hpp"

#include "interpreter/frame.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "session/modules.hpp"

namespace xcuda::interpreter {

class LaunchArguments : public Part {
 public:
  explicit LaunchArguments(Frame& frame) : Part(frame) {}

  // Errors: type (no memory, not in one piece), value (a texture whose array was freed).
  // kernel: null while it is not known which overload is launched.
  std::vector<KernelArgument> read(const cell::Launch& launch, const compiler::KernelSignature* kernel);
  // Adds arguments for the parameters that the launch leaves out.
  void add_defaults(const std::vector<const cell::Expression*>& values, cell::Span launch,
                    std::vector<KernelArgument>& arguments);
  KernelArgument read(const cell::Expression& expression);
  void convert_enumerations(const compiler::KernelSignature& kernel, std::vector<KernelArgument>& arguments);
  // Marks the textures that the kernel reads by tex1Dfetch.
  void mark_fetched(std::vector<device::TextureArgument>& textures, const Kernel& kernel);

 private:
  // {x, 50}, span<float>{x, 50}, and an array where the parameter is a span; nothing for anything else.
  std::optional<KernelArgument> made(const cell::Expression& expression, const compiler::Parameter& parameter);
  KernelArgument span_of(const KernelArgument& array, std::uint64_t count, const compiler::Parameter& parameter);
  Error without_memory(const cell::Expression& expression, const ArrayNode& computed) const;
};

}  // namespace xcuda::interpreter
