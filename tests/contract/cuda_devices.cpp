// The devices of test_contract_cuda: skipped by name where there is no GPU.
#include "device/cuda/cuda_device.hpp"
#include "device/remote/supervised_device.hpp"
#include "tests/contract/contract.hpp"
#include "tests/places.hpp"

namespace xcuda::device::contract {
namespace {

remote::RemoteOptions remote_options(const MakeRequest& request) {
  remote::RemoteOptions options;
  options.worker.program = test::program_file("xcuda-gpu");
  options.worker.on_output = request.on_output;
  options.worker.spin = std::chrono::milliseconds(1);  // as a session has it
  options.window = request.window;
  options.staging_size = 1 << 20;
  options.limits = request.limits;
  return options;
}

std::string missing_gpu() {
  try {
    return cuda::list_devices().empty() ? "no GPU" : "";
  } catch (const Error& error) {
    return error.message;
  }
}

}  // namespace

std::vector<ContractDevice> contract_devices() {
  const auto text = kernels_ptx();
  const auto missing = missing_gpu();
  return {
      {"cuda_remote",
       Life::remote,
       text,
       {},
       {},
       missing,
       [](const MakeRequest& request) { return std::make_unique<remote::RemoteDevice>(remote_options(request)); }},
      {"cuda_supervised",
       Life::supervised,
       text,
       {},
       {},
       missing,
       [](const MakeRequest& request) { return std::make_unique<remote::SupervisedDevice>(remote_options(request)); }},
  };
}

}  // namespace xcuda::device::contract
