// A launch statement whose kernel, shape and arguments are known and fit each other.
#pragma once

#include <string>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "session/modules.hpp"

namespace xcuda::interpreter {

struct CheckedLaunch {
  const cell::Launch& statement;
  cell::Span span;
  std::string name;  // of the kernel, as it is written, or as the variable has it that points to it
  Kernel kernel;
  device::LaunchRequest request;  // without a number
  std::vector<ArrayUse> uses;
  std::vector<KernelArgument> arguments;  // which keep memory that has no name
};

}  // namespace xcuda::interpreter
