// arc4random, which LLVM's static libraries take from glibc 2.36 when they were built with it: with one of its own,
// xcuda-cpu runs on glibc 2.35 (Ubuntu 22.04, Colab), too. LLVM makes names of temporary files with it.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) std::abort();  // it takes 256 bytes at once, or none
  return value;
}
