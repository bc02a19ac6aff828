// libcuda, opened at run time: a table of the Driver API's functions, and its errors as ours.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/shared_library.hpp"

namespace xcuda::device::cuda {

// Every function of the driver that the device calls, by the name that cuda.h gives it.
// clang-format off
#define XCUDA_DRIVER_FUNCTIONS(F) \
  F(cuInit) F(cuDriverGetVersion) F(cuGetErrorName) F(cuGetErrorString) \
  F(cuDeviceGetCount) F(cuDeviceGet) F(cuDeviceGetName) F(cuDeviceGetAttribute) F(cuDeviceTotalMem) \
  F(cuDeviceGetUuid) F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuCtxGetCurrent) F(cuCtxSynchronize) \
  F(cuCtxSetLimit) F(cuCtxGetLimit) \
  F(cuMemGetInfo) F(cuMemGetAllocationGranularity) F(cuMemAddressReserve) F(cuMemAddressFree) \
  F(cuMemCreate) F(cuMemRelease) F(cuMemMap) F(cuMemUnmap) F(cuMemSetAccess) \
  F(cuMemExportToShareableHandle) F(cuMemImportFromShareableHandle) F(cuIpcOpenMemHandle) F(cuIpcCloseMemHandle) \
  F(cuMemHostRegister) F(cuMemHostUnregister) F(cuMemAllocHost) F(cuMemFreeHost) F(cuMemHostGetDevicePointer) \
  F(cuMemsetD8Async) F(cuMemsetD16Async) F(cuMemsetD32Async) \
  F(cuMemcpyAsync) F(cuMemcpy2DAsync) F(cuMemcpy3DAsync) \
  F(cuModuleLoadDataEx) F(cuModuleUnload) F(cuModuleGetFunction) F(cuModuleGetGlobal) \
  F(cuFuncGetAttribute) F(cuFuncSetAttribute) F(cuLaunchKernel) F(cuLaunchKernelEx) \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuOccupancyMaxPotentialBlockSize) \
  F(cuStreamCreate) F(cuStreamDestroy) F(cuStreamSynchronize) F(cuStreamWaitEvent) F(cuStreamWriteValue32) F(cuStreamWaitValue32) \
  F(cuEventCreate) F(cuEventDestroy) F(cuEventRecord) F(cuEventSynchronize) F(cuEventElapsedTime) \
  F(cuStreamBeginCapture) F(cuStreamEndCapture) F(cuStreamIsCapturing) \
  F(cuGraphInstantiate) F(cuGraphGetNodes) F(cuGraphLaunch) F(cuGraphUpload) F(cuGraphExecDestroy) F(cuGraphDestroy) \
  F(cuTexObjectCreate) F(cuTexObjectDestroy) F(cuSurfObjectCreate) F(cuSurfObjectDestroy) \
  F(cuArray3DCreate) F(cuArrayDestroy)
// clang-format on

struct Driver {
  XCUDA_FUNCTION_TABLE(XCUDA_DRIVER_FUNCTIONS)
  decltype(&::cuFuncLoad) cuFuncLoad = nullptr;  // since CUDA 12.4; null where the driver is older

  // Opens libcuda and calls cuInit, once per process. Errors: device (no driver, too old, no GPU), each with advice.
  static const Driver& get();

  // "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
  std::string text(CUresult result) const;

  // What to do about a result: raise the limit on addresses, where there is one and memory was refused, else
  // `otherwise`.
  static std::string advice(CUresult result, std::string_view otherwise);

  // Throws Error(kind) unless result is CUDA_SUCCESS; attempted reads "map 64 MiB at 0x2000...".
  void check(CUresult result, ErrorKind kind, std::string_view attempted) const;
  void check(CUresult result, std::string_view attempted) const { check(result, ErrorKind::device, attempted); }

  // Reports on stderr that ending something ("a stream") failed. Not after a fault, which is reported anyway.
  void report(CUresult result, const char* what) const noexcept;
};

}  // namespace xcuda::device::cuda
