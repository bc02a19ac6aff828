// A driver whose functions do nothing and say that all is well; a test puts its own in their place.
#pragma once

#include <cstdlib>
#include <type_traits>

#include "device/cuda/driver.hpp"

namespace xcuda::device::cuda {

template <class Function> struct Quiet;
template <class Result, class... Arguments> struct Quiet<Result(Arguments...)> {
  static Result call(Arguments...) { return Result{}; }
};

// One GPU of 64 GiB, free.
inline Driver quiet_driver() {
  Driver driver;
  driver.each([](const char*, auto& function) {
    function = Quiet<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>::call;
  });
  driver.cuGetErrorName = [](CUresult, const char** name) {
    *name = "CUDA_ERROR_OF_A_TEST";
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetCount = [](int* count) {
    *count = 1;
    return CUDA_SUCCESS;
  };
  driver.cuMemGetInfo = [](std::size_t* free, std::size_t* total) {
    *free = *total = std::size_t{64} << 30;
    return CUDA_SUCCESS;
  };
  driver.cuMemGetAllocationGranularity = [](std::size_t* bytes, const CUmemAllocationProp*, auto) {
    *bytes = 2 << 20;
    return CUDA_SUCCESS;
  };
  driver.cuMemAddressReserve = [](CUdeviceptr* base, std::size_t, std::size_t, CUdeviceptr wanted, auto) {
    *base = wanted;
    return CUDA_SUCCESS;
  };
  driver.cuMemAllocHost = [](void** memory, std::size_t bytes) {
    *memory = std::malloc(bytes);
    return CUDA_SUCCESS;
  };
  driver.cuMemFreeHost = [](void* memory) {
    std::free(memory);
    return CUDA_SUCCESS;
  };
  return driver;
}

}  // namespace xcuda::device::cuda
