// cuRAND, opened at run time: the part of its host interface that is used here, which CUDA 12 and 13 share.
#pragma once

#include <cstddef>

#include "base/shared_library.hpp"

extern "C" {
using curandGenerator_t = struct curandGenerator_st*;
using curandStream = struct CUstream_st*;
int curandGetVersion(int*);
int curandCreateGenerator(curandGenerator_t*, int type);
int curandDestroyGenerator(curandGenerator_t);
int curandSetStream(curandGenerator_t, curandStream);
int curandSetGeneratorOrdering(curandGenerator_t, int order);
int curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long seed);
int curandSetGeneratorOffset(curandGenerator_t, unsigned long long offset);
int curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned int count);
int curandGenerate(curandGenerator_t, unsigned int* to, std::size_t count);
int curandGenerateUniform(curandGenerator_t, float* to, std::size_t count);
int curandGenerateUniformDouble(curandGenerator_t, double* to, std::size_t count);
int curandGenerateNormal(curandGenerator_t, float* to, std::size_t count, float mean, float deviation);
int curandGenerateNormalDouble(curandGenerator_t, double* to, std::size_t count, double mean, double deviation);
int curandGenerateLogNormal(curandGenerator_t, float* to, std::size_t count, float mean, float deviation);
int curandGenerateLogNormalDouble(curandGenerator_t, double* to, std::size_t count, double mean, double deviation);
int curandGeneratePoisson(curandGenerator_t, unsigned int* to, std::size_t count, double mean);
}

namespace xcuda::library::cuda {

// clang-format off
#define XCUDA_CURAND_FUNCTIONS(F) \
  F(curandGetVersion) F(curandCreateGenerator) F(curandDestroyGenerator) F(curandSetStream) \
  F(curandSetGeneratorOrdering) F(curandSetPseudoRandomGeneratorSeed) F(curandSetGeneratorOffset) \
  F(curandSetQuasiRandomGeneratorDimensions) F(curandGenerate) F(curandGenerateUniform) \
  F(curandGenerateUniformDouble) F(curandGenerateNormal) F(curandGenerateNormalDouble) F(curandGenerateLogNormal) \
  F(curandGenerateLogNormalDouble) F(curandGeneratePoisson)
// clang-format on

struct Curand {
  XCUDA_FUNCTION_TABLE(XCUDA_CURAND_FUNCTIONS)
};

}  // namespace xcuda::library::cuda
