// PTX through the whole CPU device, twice: as kernels continue after a barrier in either form (Dispatch::inlined with
// checks of bounds, and Dispatch::shared with or without), the latter with indices that are not folded. Both give the
// same bits.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "device/transfer.hpp"
#include "tests/fuzz/bounded_kernel.hpp"

namespace {

using namespace xcuda;
using namespace xcuda::device;
using fuzz::BoundedKernel;

class Form {
 public:
  explicit Form(const char* dispatch) {
    setenv("XCUDA_CPU_DISPATCH", dispatch, 1);
    cpu::CpuOptions options;
    options.threads = 1;
    options.store = cpu::CpuOptions::Store::none;
    device_ = cpu::make_cpu_device({}, options);
    base_ = device_->info().window.base;
    memory_ = device_->create_memory({MemoryId{1}, base_, device_->info().memory_granularity});
  }

  // All that the kernel has written. Throws Error for PTX that this device does not take.
  std::vector<std::uint32_t> run(const BoundedKernel& kernel, const std::string& ptx, Checks checks) {
    const auto results_at = base_ + 4 * fuzz::kInputs, sums_at = results_at + 4 * fuzz::kResults * kernel.threads();
    std::vector<std::uint32_t> memory(fuzz::kInputs + fuzz::kResults * kernel.threads() + fuzz::kSums);
    // Words of all sizes, and of them some that are odd as floats.
    for (std::uint32_t i = 0; i < fuzz::kInputs; ++i) memory[i] = (i * 2654435761u) >> (i % 32);
    memory[3] = 0x7fc00000;
    memory[4] = 0xff800000;
    memory[5] = 1;
    memory[6] = 0x80000000;
    Transfer transfer(*device_);
    transfer.write({.address = base_, .width = 4 * memory.size()}, std::as_bytes(std::span(memory)));
    device_->load_module({ModuleId{1}, "In[1]", ptx, {}, ""});
    LaunchRequest launch;
    launch.number = ++launches_;
    launch.module = ModuleId{1};
    launch.entry = "k";
    launch.grid = kernel.grid;
    launch.block = kernel.block;
    launch.checks = checks;
    const Address arguments[] = {base_, results_at, sums_at};
    launch.arguments.resize(sizeof arguments);
    std::memcpy(launch.arguments.data(), arguments, sizeof arguments);
    device_->post_launch(launch);
    transfer.read({.address = base_, .width = 4 * memory.size()}, std::as_writable_bytes(std::span(memory)));
    device_->unload_module(ModuleId{1});
    return memory;
  }

 private:
  std::unique_ptr<Device> device_;
  File memory_;
  Address base_ = 0;
  std::uint64_t launches_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static Form inlined("inlined"), shared("shared");
  const auto kernel = fuzz::bounded_kernel({data + 1, size - 1});
  Checks loose;
  loose.bounds = data[0] % 2 == 0;
  try {
    const auto one = inlined.run(kernel, kernel.ptx, Checks{}), other = shared.run(kernel, kernel.guarded, loose);
    const auto difference = std::mismatch(one.begin(), one.end(), other.begin());
    if (difference.first == one.end()) return 0;
    fmt::print(stderr, "Word {} of the arrays is {:#x} inlined, and {:#x} shared, in\n{}",
               difference.first - one.begin(), *difference.first, *difference.second, kernel.ptx);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n{}\n{}", error.message, error.library, kernel.ptx);
  }
  std::abort();
}
