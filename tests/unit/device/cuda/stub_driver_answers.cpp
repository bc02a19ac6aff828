// What a libcuda.so.1 without a GPU behind it answers: XCUDA_STUB_INIT is the CUresult of cuInit, XCUDA_STUB_VERSION
// what cuDriverGetVersion() gives.
#include <cuda.h>

#include <cstdlib>

namespace {

int told(const char* variable) {
  const char* const said = std::getenv(variable);
  return said == nullptr ? 0 : std::atoi(said);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned) { return static_cast<CUresult>(told("XCUDA_STUB_INIT")); }

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = told("XCUDA_STUB_VERSION");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_STUB";
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult, const char** text) {
  *text = "said by the stub";
  return CUDA_SUCCESS;
}
}
