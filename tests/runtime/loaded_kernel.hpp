// A module that a program has made, loaded and run.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/driver/driver_api.hpp"

namespace xcuda::test {

// kernel(scalars..., float* x) of four threads, with x = 1, 2, 3, 4.
inline void expect_kernel_gives(const std::string& code, const char* kernel, std::vector<float> scalars,
                                const std::vector<float>& expected) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr address = 0;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, code.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, kernel), CUDA_SUCCESS);
  std::vector<float> values{1, 2, 3, 4};
  ASSERT_EQ(cuMemAlloc_v2(&address, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD_v2(address, values.data(), 16), CUDA_SUCCESS);
  std::vector<void*> arguments;
  for (float& scalar : scalars) arguments.push_back(&scalar);
  arguments.push_back(&address);
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments.data(), nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(values.data(), address, 16), CUDA_SUCCESS);
  EXPECT_EQ(values, expected);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
}

}  // namespace xcuda::test
