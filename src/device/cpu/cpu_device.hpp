// The CPU device: kernels on the host's cores, translated from PTX.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "device/device.hpp"
#include "device/start.hpp"

namespace xcuda::device::cpu {

struct CpuOptions {
  int threads = 0;  // threads that run blocks; 0: XCUDA_CPU_THREADS, else all that this process may use
  enum class Store : std::uint8_t { user, none } store = Store::user;  // where compiled objects are kept
  std::function<void(std::string_view)> output, error_output;          // of kernels; none: file descriptors 1 and 2
};

// The range with a name that holds the address.
std::optional<ArrayRange> find_range(Device& cpu_device, Address address);

// synchronize() reports a fault. If there is a fault record the fault is also written there, and the process has to end
// itself; signals of generated code then are faults too and end the process at once. Errors: memory.
std::unique_ptr<Device> make_cpu_device(const StartRequest& request, const CpuOptions& options = {});

}  // namespace xcuda::device::cpu
