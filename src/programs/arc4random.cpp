// arc4random, which LLVM's static libraries take from glibc 2.36 when they were built with it. With its own, xcuda-cpu
// also runs on glibc 2.35 (Ubuntu 22.04, Colab). LLVM makes names of temporary files with it.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) std::abort();  // it takes 256 bytes at once, or none
  return value;
}
