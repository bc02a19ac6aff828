// Calls of libraries on the CPU device: their memory is checked before, and reported to --init after.
#pragma once

#include "device/cpu/memory/address_space.hpp"
#include "device/cpu/run/outcomes.hpp"
#include "library/cpu/cpu_libraries.hpp"

namespace xcuda::device::cpu {

class LibraryCalls {
 public:
  struct Parts {
    AddressSpace& space;
    Outcomes& outcomes;
    int threads = 1;
  };
  explicit LibraryCalls(const Parts& parts) : parts_(parts), libraries_(parts.threads) {}

  library::Facts open(const library::OpenRequest& request) { return libraries_.open(request); }
  // Errors: unsupported, value.
  void run(const LibraryLaunch& request);

 private:
  Parts parts_;
  library::cpu::Libraries libraries_;
};

}  // namespace xcuda::device::cpu
