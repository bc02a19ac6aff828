#include "library/cuda/cuda_libraries.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "library/cuda/cublas_lt.hpp"

namespace xcuda::library::cuda {
namespace {

// What they compute is in tests/contract and tests/gpu.
TEST(CudaLibraries, AMissingOneSaysHowToInstallIt) {
  Call call;
  call.library = "/nowhere/libcublasLt.so.13";
  try {
    Libraries(13).run(call, {});
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.library.find("/nowhere/libcublasLt.so.13"), std::string::npos) << error.library;
    EXPECT_NE(error.advice.find("pip install nvidia-cublas"), std::string::npos) << error.advice;
  }
}

TEST(CudaLibraries, AStatusHasItsName) {
  EXPECT_EQ(status_text(kNotSupported), "CUBLAS_STATUS_NOT_SUPPORTED (15)");
  EXPECT_EQ(status_text(3), "CUBLAS_STATUS_ALLOC_FAILED (3)");
}

}  // namespace
}  // namespace xcuda::library::cuda
