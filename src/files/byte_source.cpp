#include "files/byte_source.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/units.hpp"

namespace xcuda::files {

void expect_room(const std::string& name, std::uint64_t bytes, const std::string& why, const std::string& advice) {
  const auto memory = host_memory();
  if (memory.total == 0 || bytes <= memory.available / 2) return;
  throw Error(ErrorKind::memory, fmt::format("{} {} and needs {} to unpack", name, why, format_bytes(bytes)))
      .said(fmt::format("{} of this machine's {} are available", format_bytes(memory.available),
                        format_bytes(memory.total)))
      .advise(advice);
}

}  // namespace xcuda::files
