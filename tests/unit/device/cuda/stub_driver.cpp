// A libcuda.so.1 without a GPU behind it: every function that the device calls is there and does nothing, unless
// stub_driver_answers.cpp says otherwise. The assembler's labels give them the names that cuda.h maps them to.
#include "device/cuda/driver.hpp"

#define XCUDA_DEFINE(name)                                                         \
  extern "C" __attribute__((weak)) int stub_of_##name() __asm__(XCUDA_TEXT(name)); \
  int stub_of_##name() { return 0; }
XCUDA_DRIVER_FUNCTIONS(XCUDA_DEFINE)
