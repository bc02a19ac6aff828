// What is between <<< and >>>: grid, block, shared memory, stream; and cover(n), which chooses the first two.
#pragma once

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "interpreter/launches/launch_options.hpp"
#include "session/modules.hpp"

namespace xcuda::interpreter {

struct LaunchConfiguration {
  LaunchShape shape;
  device::StreamId stream{};
};

class LaunchConfigurations : public Part {
 public:
  explicit LaunchConfigurations(Frame& frame) : Part(frame) {}

  // The configuration of a launch; its manner and %%launch's options fill missing parts. Errors: type, value, those of
  // check_shape().
  LaunchConfiguration of(const cell::Launch& launch, const Kernel& kernel, const LaunchManner& manner);

 private:
  void cover(const cell::Launch& launch, const cell::Call& cover, const Kernel& kernel, LaunchShape& shape);
  device::Dim3 best_block(const Kernel& kernel, const LaunchShape& shape, std::size_t dimensions);
  void check_cluster(const LaunchShape& shape, const device::Dim3& cluster, cell::Span span);
};

}  // namespace xcuda::interpreter
