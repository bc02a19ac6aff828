// The arguments of a launch: values of statements as kernels take them.
#pragma once

#include <vector>

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
  std::vector<KernelArgument> read(const cell::Launch& launch);
  void convert_enumerations(const compiler::KernelSignature& kernel, std::vector<KernelArgument>& arguments);
  // Of the textures, those that the kernel reads by tex1Dfetch.
  void mark_fetched(std::vector<device::TextureArgument>& textures, const Kernel& kernel);

 private:
  KernelArgument read(const cell::Argument& argument);
  Error without_memory(const cell::Expression& expression, const ArrayNode& computed) const;
};

}  // namespace xcuda::interpreter
