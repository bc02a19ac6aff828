#include "base/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/error.hpp"

namespace xcuda {

Interrupt::Interrupt() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw Error(ErrorKind::io, "cannot create the interrupt's eventfd").said(errno_text(errno));
}

void Interrupt::raise() {
  count_.fetch_add(1);
  const std::uint64_t one = 1;
  // Fails only when the counter would overflow, and then the descriptor is readable already.
  [[maybe_unused]] const auto written = write(event_.get(), &one, sizeof one);
}

void Interrupt::clear() {
  count_.store(0);
  std::uint64_t value = 0;
  [[maybe_unused]] const auto taken = read(event_.get(), &value, sizeof value);
}

void Interrupt::check() const {
  if (raised()) throw Error(ErrorKind::interrupted, "interrupted");
}

}  // namespace xcuda
