// The devices of test_contract_cpu: the CPU device in its own process, as a session has it.
#include "device/device_set.hpp"
#include "device/remote/supervised_device.hpp"
#include "tests/contract/contract.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

remote::RemoteOptions remote_options(const MakeRequest& request) {
  remote::RemoteOptions options;
  options.worker.program = test::program_file("xcuda-cpu");
  options.worker.on_output = request.on_output;
  options.window = request.window;
  options.limits = request.limits;
  return options;
}

}  // namespace

std::vector<ContractDevice> contract_devices() {
  return {
      {"remote",
       Life::remote,
       kernels_ptx(),
       {},
       {},
       {},
       [](const MakeRequest& request) { return std::make_unique<remote::RemoteDevice>(remote_options(request)); }},
      {"supervised",
       Life::supervised,
       kernels_ptx(),
       {},
       {},
       {},
       [](const MakeRequest& request) { return std::make_unique<remote::SupervisedDevice>(remote_options(request)); }},
      {"set",
       Life::supervised,
       kernels_ptx(),
       {},
       {},
       {},
       [](const MakeRequest& request) {
         std::vector<std::unique_ptr<Device>> members;
         for (int i = 0; i < 2; ++i)
           members.push_back(std::make_unique<remote::SupervisedDevice>(remote_options(request)));
         return std::make_unique<DeviceSet>(std::move(members), request.limits);
       }},
  };
}

}  // namespace xcuda::device::contract
