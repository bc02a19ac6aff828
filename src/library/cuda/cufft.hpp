// cuFFT, opened at run time: the part that is used here, which versions 12 and 13 of CUDA share. Its own types of
// numbers are pointers to their parts here.
#pragma once

#include <cstddef>

#include "base/shared_library.hpp"

extern "C" {
using cufftHandle = int;
using cufftStream = struct CUstream_st*;
int cufftGetVersion(int*);
int cufftCreate(cufftHandle*);
int cufftDestroy(cufftHandle);
int cufftSetAutoAllocation(cufftHandle, int allocate);
int cufftSetWorkArea(cufftHandle, void*);
int cufftSetStream(cufftHandle, cufftStream);
int cufftMakePlanMany64(cufftHandle, int rank, long long* n, long long* from_extents, long long from_stride,
                        long long from_distance, long long* to_extents, long long to_stride, long long to_distance,
                        int type, long long batch, std::size_t* work_bytes);
int cufftExecC2C(cufftHandle, float* from, float* to, int direction);
int cufftExecR2C(cufftHandle, float* from, float* to);
int cufftExecC2R(cufftHandle, float* from, float* to);
int cufftExecZ2Z(cufftHandle, double* from, double* to, int direction);
int cufftExecD2Z(cufftHandle, double* from, double* to);
int cufftExecZ2D(cufftHandle, double* from, double* to);
}

namespace xcuda::library::cuda {

// clang-format off
#define XCUDA_CUFFT_FUNCTIONS(F) \
  F(cufftGetVersion) F(cufftCreate) F(cufftDestroy) F(cufftSetAutoAllocation) F(cufftSetWorkArea) F(cufftSetStream) \
  F(cufftMakePlanMany64) F(cufftExecC2C) F(cufftExecR2C) F(cufftExecC2R) F(cufftExecZ2Z) F(cufftExecD2Z) F(cufftExecZ2D)
// clang-format on

struct Cufft {
  XCUDA_FUNCTION_TABLE(XCUDA_CUFFT_FUNCTIONS)
};

enum TransformType : int { kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69 };

}  // namespace xcuda::library::cuda
