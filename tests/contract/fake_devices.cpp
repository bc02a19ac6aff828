// The devices of test_contract_fake.
#include "device/device_set.hpp"
#include "device/remote/supervised_device.hpp"
#include "tests/contract/contract.hpp"
#include "tests/contract/fake_kernels.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

remote::RemoteOptions remote_options(const MakeRequest& request) {
  remote::RemoteOptions options;
  options.worker.program = test::program_file("fake_worker");
  options.worker.environment = {{"ASAN_OPTIONS", "handle_segv=0"},
                                {"TSAN_OPTIONS", "handle_segv=0"}};  // signals as they are
  options.worker.on_output = request.on_output;
  options.worker.spin = std::chrono::milliseconds(1);
  options.window = request.window;
  options.staging_size = 1 << 20;
  options.limits = request.limits;
  return options;
}

}  // namespace

std::vector<ContractDevice> contract_devices() {
  const auto text = fake_kernels_text();
  return {
      {"fake",
       Life::in_process,
       text,
       {},
       {},
       {},
       [](const MakeRequest& request) {
         auto options = fake_options(Manners::tells);
         options.start.window = request.window;
         return std::make_unique<FakeDevice>(std::move(options));
       }},
      {"remote",
       Life::remote,
       text,
       {},
       {},
       {},
       [](const MakeRequest& request) { return std::make_unique<remote::RemoteDevice>(remote_options(request)); }},
      {"supervised",
       Life::supervised,
       text,
       {},
       {},
       {},
       [](const MakeRequest& request) { return std::make_unique<remote::SupervisedDevice>(remote_options(request)); }},
      {"set",
       Life::supervised,
       text,
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
