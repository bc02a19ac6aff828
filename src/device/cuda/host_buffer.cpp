#include "device/cuda/host_buffer.hpp"

#include <fmt/format.h>

#include "base/units.hpp"

namespace xcuda::device::cuda {
namespace {

constexpr std::size_t kOwnBytes = std::size_t{16} << 20;

SharedMapping own_buffer() { return SharedMapping(make_memory_file("staging", kOwnBytes), kOwnBytes); }

}  // namespace

HostBuffer::HostBuffer(const Driver& driver, std::span<std::byte> given)
    : own_(given.empty() ? own_buffer() : SharedMapping()), bytes_(given.empty() ? own_.bytes() : given) {
  driver.check(driver.cuMemHostRegister(bytes_.data(), bytes_.size(), CU_MEMHOSTREGISTER_PORTABLE), ErrorKind::memory,
               fmt::format("page-lock the {} host buffer", format_bytes(bytes_.size())));
  lock_ = PageLock({&driver, bytes_.data()});
}

}  // namespace xcuda::device::cuda
