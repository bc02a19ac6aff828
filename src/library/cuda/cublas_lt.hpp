// cuBLASLt, opened at run time: the functions and numbers of its documentation that are used here, which versions 12
// and 13 share. Its header comes with a package of its own, which a build does not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/shared_library.hpp"
#include "library/call.hpp"

extern "C" {
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque*;
using cublasLtStream = struct CUstream_st*;
struct cublasLtMatmulAlgo_t {
  std::uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  std::size_t workspaceSize;
  int state;
  float wavesCount;
  int reserved[4];
};

int cublasLtCreate(cublasLtHandle_t*);
int cublasLtDestroy(cublasLtHandle_t);
std::size_t cublasLtGetVersion(void);
int cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*, int compute_type, int scale_type);
int cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t);
int cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, int attribute, const void* value, std::size_t size);
int cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t*, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading);
int cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t);
int cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t, int attribute, const void* value, std::size_t size);
int cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t*);
int cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t);
int cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, int attribute, const void* value,
                                         std::size_t size);
int cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                   cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                   cublasLtMatmulPreference_t, int wanted, cublasLtMatmulHeuristicResult_t*,
                                   int* found);
int cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*, int attribute, void* value, std::size_t size,
                                         std::size_t* written);
int cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void* alpha, const void* a, cublasLtMatrixLayout_t,
                   const void* b, cublasLtMatrixLayout_t, const void* beta, const void* c, cublasLtMatrixLayout_t,
                   void* d, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void* workspace,
                   std::size_t workspace_bytes, cublasLtStream);
}

namespace xcuda::library::cuda {

// clang-format off
#define XCUDA_CUBLAS_LT_FUNCTIONS(F) \
  F(cublasLtCreate) F(cublasLtDestroy) F(cublasLtGetVersion) \
  F(cublasLtMatmulDescCreate) F(cublasLtMatmulDescDestroy) F(cublasLtMatmulDescSetAttribute) \
  F(cublasLtMatrixLayoutCreate) F(cublasLtMatrixLayoutDestroy) F(cublasLtMatrixLayoutSetAttribute) \
  F(cublasLtMatmulPreferenceCreate) F(cublasLtMatmulPreferenceDestroy) F(cublasLtMatmulPreferenceSetAttribute) \
  F(cublasLtMatmulAlgoGetHeuristic) F(cublasLtMatmulAlgoConfigGetAttribute) F(cublasLtMatmul)
// clang-format on

struct CublasLt {
  XCUDA_FUNCTION_TABLE(XCUDA_CUBLAS_LT_FUNCTIONS)
};

inline constexpr int kNotSupported = 15;  // a status
enum ComputeType : int { kCompute32F = 68, kComputeTf32 = 77, kCompute64F = 70, kCompute32I = 72 };
enum DataType : int {
  kReal32F = 0,
  kReal64F = 1,
  kReal16F = 2,
  kReal8I = 3,
  kComplex32F = 4,
  kComplex64F = 5,
  kReal32I = 10,
  kReal16BF = 14,
  kRealE4M3 = 28,
  kRealE5M2 = 29
};
enum MatmulAttribute : int { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8 };
enum LayoutAttribute : int { kBatchCount = 5, kBatchDistance = 6 };
enum PreferenceAttribute : int {
  kMaxWorkspace = 1,
  kReductionSchemes = 3,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8
};
// How parts of k are added: in place as they come, or in a fixed order.
inline constexpr std::uint32_t kAllReductions = 7, kOrderedReductions = 6;
enum AlgorithmAttribute : int { kAlgorithm = 0, kTile = 1, kSplitK = 2, kStages = 6 };
enum Epilogue : int { kDefaultEpilogue = 1, kReluEpilogue = 2, kBiasEpilogue = 4 };  // the last two can be joined

std::string status_text(int status);  // "CUBLAS_STATUS_NOT_SUPPORTED (15)"

}  // namespace xcuda::library::cuda
