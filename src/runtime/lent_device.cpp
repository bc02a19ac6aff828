#include "runtime/lent_device.hpp"

namespace xcuda::runtime {
namespace {

device::Device* the_device = nullptr;

}  // namespace

void lend_device(device::Device& device) { the_device = &device; }
device::Device* lent_device() { return the_device; }

device::Window lent_part(const device::Window& window) {
  return {window.base + window.size / 2, window.size - window.size / 2};
}

}  // namespace xcuda::runtime
