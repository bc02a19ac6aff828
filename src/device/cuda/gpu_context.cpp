#include "device/cuda/gpu_context.hpp"

#include <fmt/format.h>

#include "device/cuda/driver_fault.hpp"

namespace xcuda::device::cuda {

CUdevice open_device(const Driver& driver, int ordinal) {
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "count the GPUs");
  if (ordinal < 0 || ordinal >= count)
    throw Error(ErrorKind::value, fmt::format("there is no GPU {}: {} visible", ordinal,
                                              count == 1 ? "one is" : fmt::format("{} are", count)))
        .advise("%device lists them; CUDA_VISIBLE_DEVICES limits them");
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, ordinal), fmt::format("open GPU {}", ordinal));
  return device;
}

PrimaryContext make_context_current(const Driver& driver, CUdevice device) {
  CUcontext context = nullptr;
  if (const CUresult result = driver.cuDevicePrimaryCtxRetain(&context, device); result != CUDA_SUCCESS)
    throw Error(ErrorKind::device, "cannot create a context on the GPU")
        .said(driver.text(result))
        .advise(Driver::advice(result, advice_for_context(result)));
  PrimaryContext owned({&driver, device});
  driver.check(driver.cuCtxSetCurrent(context), "make the GPU's context current");
  return owned;
}

CUlimit driver_limit(Limit limit) {
  switch (limit) {
    case Limit::stack_size: return CU_LIMIT_STACK_SIZE;
    case Limit::printf_buffer: return CU_LIMIT_PRINTF_FIFO_SIZE;
    case Limit::malloc_heap: return CU_LIMIT_MALLOC_HEAP_SIZE;
  }
  return CU_LIMIT_STACK_SIZE;
}

}  // namespace xcuda::device::cuda
