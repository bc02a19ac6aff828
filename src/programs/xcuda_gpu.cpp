// xcuda-gpu N: the CUDA device in a process of its own, started by xcuda. N is the GPU's ordinal among the visible
// ones. xcuda-gpu list: answers which GPUs there are.
#include <cstdlib>
#include <string_view>

#include "base/process_limits.hpp"
#include "base/sandbox.hpp"
#include "base/worker.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/remote/device_list.hpp"
#include "device/remote/serve_device.hpp"

int main(int argc, char** argv) {
  using namespace xcuda;
  auto channel = enter_worker(argc, argv, "xcuda-gpu");
  if (argc > 1 && argv[1] == std::string_view("list"))
    return device::remote::answer_with_devices(channel, device::cuda::list_devices);
  const int ordinal = argc > 1 ? std::atoi(argv[1]) : 0;
  return run_with_usual_stack([&] {
    return device::remote::serve(channel, [ordinal](const device::StartRequest& start) {
      auto made = device::cuda::make_cuda_device(start, ordinal);
      enter_sandbox({.kind = Sandbox::device});  // not before: to find the card, the driver may start a program
      return made;
    });
  });
}
