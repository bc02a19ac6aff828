// What a libcuda.so.1 without a GPU behind it answers: XCUDA_STUB_INIT is the CUresult of cuInit.
#include <cuda.h>

#include <cstdlib>

extern "C" {

CUresult CUDAAPI cuInit(unsigned) {
  const char* const said = std::getenv("XCUDA_STUB_INIT");
  return static_cast<CUresult>(said == nullptr ? 0 : std::atoi(said));
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = XCUDA_STUB_VERSION;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult result, const char** name) {
  *name = result == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_SYSTEM_NOT_READY";
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult, const char** text) {
  *text = "said by the stub";
  return CUDA_SUCCESS;
}
}
