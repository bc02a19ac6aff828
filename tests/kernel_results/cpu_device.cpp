#include "device/cpu/cpu_device.hpp"

#include "tests/kernel_results/kernel_results.hpp"

namespace xcuda::device {

std::unique_ptr<Device> make_test_device(const TestDevice& request) {
  cpu::CpuOptions options;
  options.threads = request.threads;
  options.store = cpu::CpuOptions::Store::none;
  options.output = request.output;
  options.error_output = request.error_output;
  return cpu::make_cpu_device({}, options);
}

}  // namespace xcuda::device
