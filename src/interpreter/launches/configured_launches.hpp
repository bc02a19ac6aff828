// cudaLaunchKernelEx(&config, kernel, x, n): launches with a configuration in a struct.
#pragma once

#include <string_view>

#include "interpreter/frame.hpp"
#include "interpreter/host/cuda_struct.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

class ConfiguredLaunches : public Part {
 public:
  explicit ConfiguredLaunches(Frame& frame) : Part(frame) {}

  // given: the configuration's address, the kernel, and its arguments; of cudaLaunchKernelExC a list of addresses.
  void run(std::string_view name, const language::Bound& given, cell::Span span);

 private:
  // Errors: value, unsupported (an attribute that launches of statements cannot have).
  LaunchManner manner_of(const CudaStruct& config, cell::Span span);
  Error not_supported(std::string_view attribute, std::string_view advice, cell::Span span) const;
  void apply_attribute(const CudaStruct& attribute, LaunchManner& manner, cell::Span span);
};

}  // namespace xcuda::interpreter
