// The device of test_opcodes_cpu: in this process, and nothing is kept from earlier runs.
#include "device/cpu/cpu_device.hpp"

#include "tests/contract/contract.hpp"

namespace xcuda::device::contract {

std::vector<ContractDevice> contract_devices() {
  return {{"cpu", Life::in_process, {}, {}, {}, {}, [](const MakeRequest& request) {
             cpu::CpuOptions options;
             options.threads = 1;
             options.store = cpu::CpuOptions::Store::none;
             StartRequest start;
             start.window = request.window;
             return cpu::make_cpu_device(start, options);
           }}};
}

}  // namespace xcuda::device::contract
