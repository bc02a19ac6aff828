// The targets of calls: functions of the module, and functions that the device provides.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/host_arithmetic.hpp"
#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/runtime_call.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// A function that the device provides: a service, or one of the host's, which is called as it is.
struct Provided {
  std::string_view name;
  Service service;
  int inputs;       // inputs that the service gets
  int result_bits;  // 0: none
  RuntimeCall runtime_call = RuntimeCall::none;
  const HostFunction* host = nullptr;
};

// What the service gets as one input: an argument of the call, or 32 bits of one, and 32 bits of one above them.
struct ProvidedInput {
  struct Part {
    std::uint8_t argument = 0, offset = 0;  // bytes
  };
  Part low;
  bool has_high = false;
  Part high{};
};
ProvidedInput input_of(const Provided& provided, int index);

const Provided* provided_by(const ptx::Module& module, const ptx::Call& call);  // null: it does not

// Whether the callee has the caller's number of arguments and results, each of its size.
bool fits(const ptx::Function& caller, const ptx::Call& call, const ptx::Function& callee);

// Functions whose address may be in a pointer, of Module::functions.
std::vector<ptx::Index> addressed_functions(const ptx::Module& module);

// Which arguments are in memory, for calls of functions of the module, by Function::arguments. Arguments that only
// provided functions see are values.
std::vector<bool> arguments_in_memory(const ptx::Module& module, const ptx::Function& function);

}  // namespace xcuda::device::cpu
