// The functions of the CUDA Runtime as this device has them: with the types in CUDA's header, in a namespace of their
// own.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>

// Functions that nvcc's own code calls and no public header of CUDA declares.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int thread_limit,
                            uint3* tid, uint3* bid, dim3* block, dim3* grid, int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external, std::size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name, int external,
                              std::size_t size, int constant, int global);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream);
}

namespace xcuda::runtime {

#define XCUDA_RUNTIME_WORKS(name) decltype(::name) name;
#define XCUDA_RUNTIME_PARTLY(name, how) decltype(::name) name;
#define XCUDA_RUNTIME_REFUSED(name, what)
#define XCUDA_RUNTIME_THREAD(name, as)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may still call them
#include "runtime/functions.def"
#pragma GCC diagnostic pop
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD

}  // namespace xcuda::runtime
