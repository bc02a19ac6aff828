// A launch statement whose kernel, shape and arguments are known and fit each other.
#pragma once

#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "session/modules.hpp"

namespace xcuda::interpreter {

struct CheckedLaunch {
  const cell::Launch& statement;
  cell::Span span;
  Kernel kernel;
  device::LaunchRequest request;  // without a number
  std::vector<ArrayUse> uses;
  std::vector<KernelArgument> arguments;  // which keep memory that has no name
};

}  // namespace xcuda::interpreter
