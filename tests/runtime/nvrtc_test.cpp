// NVRTC as programs on the CPU device have it: PTX for compute_80 in place of a CUBIN for any architecture.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <string>

#include "tests/runtime/loaded_kernel.hpp"

namespace xcuda::test {
namespace {

constexpr const char* kSource = R"(
#if __CUDA_ARCH__ != 800
#error an architecture that the device does not have
#endif
template <class T> __global__ void twice(T* p) { p[threadIdx.x] *= 2; }
)";

TEST(Nvrtc, GivesAModuleThatTheDeviceLoads) {
  int major = 0, minor = 0, archs = 0;
  if (nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) GTEST_SKIP() << "NVRTC 13 is not installed";
  EXPECT_EQ(major, 13);
  EXPECT_EQ(nvrtcGetNumSupportedArchs(&archs), NVRTC_SUCCESS);
  EXPECT_GT(archs, 0);
  nvrtcProgram program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, kSource, "twice.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  ASSERT_EQ(nvrtcAddNameExpression(program, "twice<float>"), NVRTC_SUCCESS);
  const char* options[] = {"-arch", "sm_90", "--gpu-architecture=sm_100", "-DNOTHING"};
  ASSERT_EQ(nvrtcCompileProgram(program, 4, options), NVRTC_SUCCESS);
  std::size_t size = 0;
  ASSERT_EQ(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
  std::string code(size, 0);
  ASSERT_EQ(nvrtcGetCUBIN(program, code.data()), NVRTC_SUCCESS);
  EXPECT_NE(code.find(".target sm_80"), code.npos);
  EXPECT_NE(code.find(".loc"), code.npos);
  const char* name = nullptr;
  ASSERT_EQ(nvrtcGetLoweredName(program, "twice<float>", &name), NVRTC_SUCCESS);

  expect_kernel_gives(code, name, {}, {2, 4, 6, 8});
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

TEST(Nvrtc, SaysWhatIsWrongWithAProgram) {
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, "int x = ;", "wrong.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    GTEST_SKIP() << "NVRTC 13 is not installed";
  EXPECT_EQ(nvrtcCompileProgram(program, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_STREQ(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
  std::size_t size = 0;
  EXPECT_EQ(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  std::string log(size, 0);
  EXPECT_EQ(nvrtcGetProgramLog(program, log.data()), NVRTC_SUCCESS);
  EXPECT_NE(log.find("wrong.cu(1)"), log.npos) << log;
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

}  // namespace
}  // namespace xcuda::test
