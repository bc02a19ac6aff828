// xcuda-cpu: kernels on the host's cores, in a process of its own, started by xcuda. See device/cpu/cpu_device.hpp.
#include "base/worker.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/remote/serve.hpp"

int main(int argc, char** argv) {
  auto channel = xcuda::enter_worker(argc, argv, "xcuda-cpu");
  return xcuda::device::remote::serve(
      channel, [](const xcuda::device::StartRequest& start) { return xcuda::device::cpu::make_cpu_device(start); });
}
