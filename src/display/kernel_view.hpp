// One kernel, %info: signature, resources, occupancy over block sizes, where it was defined.
#pragma once

#include <optional>
#include <vector>

#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "display/bundle.hpp"

namespace xcuda::display {

struct BlockOccupancy {
  std::uint32_t block_threads = 0;
  device::Occupancy occupancy;
};

struct KernelView {
  compiler::KernelSignature signature;
  std::string source;                            // "In[7]"
  std::optional<device::FunctionInfo> function;  // when a device has loaded it
  std::vector<BlockOccupancy> occupancies;       // for several block sizes
  std::uint32_t best_block = 0;                  // 0 when unknown
  std::string architecture, device;
  std::vector<std::string> instances;  // of a template: those compiled so far
};

Bundle kernel_bundle(const KernelView& kernel);

}  // namespace xcuda::display
