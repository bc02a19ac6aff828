// One suite for all devices. A test program names its devices by contract_devices(); contract_test.cpp runs all tests
// on each of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/worker.hpp"
#include "device/device.hpp"

namespace xcuda::device::contract {

// How long the device lives when something goes wrong.
enum class Life : std::uint8_t {
  in_process,  // a fault ends it, and nothing here can be killed
  remote,      // a process of its own; a fault ends it
  supervised,  // a process of its own, that is replaced
};

struct MakeRequest {
  Window window;
  std::function<void(OutputStream, std::string_view)> on_output;
  std::function<WaitRequest()> limits;  // for calls and blocked posts
};

struct ContractDevice {
  std::string name;
  Life life = Life::in_process;
  std::string ptx;           // of the kernels of kernels.cu
  std::string architecture;  // of the CUBIN, where one is given
  std::vector<std::byte> cubin;
  std::string missing;  // why it cannot be tested here: its tests are skipped by this reason
  std::function<std::unique_ptr<Device>(const MakeRequest&)> make;
};

inline std::ostream& operator<<(std::ostream& to, const ContractDevice& device) { return to << device.name; }

std::vector<ContractDevice> contract_devices();

// The text of a file of tests/contract.
std::string contract_file(const std::string& name);
inline std::string kernels_ptx() { return contract_file("kernels.ptx"); }

}  // namespace xcuda::device::contract
