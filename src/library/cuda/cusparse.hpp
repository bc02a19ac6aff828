// cuSPARSE, opened at run time: the functions that are used here, which versions 12 and 13 of CUDA share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/shared_library.hpp"

extern "C" {
using cusparseHandle_t = struct cusparseContext*;
using cusparseSpMatDescr_t = struct cusparseSpMatDescr*;
using cusparseDnVecDescr_t = struct cusparseDnVecDescr*;
using cusparseDnMatDescr_t = struct cusparseDnMatDescr*;
using cusparseStream = struct CUstream_st*;
int cusparseCreate(cusparseHandle_t*);
int cusparseDestroy(cusparseHandle_t);
int cusparseGetVersion(cusparseHandle_t, int*);
int cusparseSetStream(cusparseHandle_t, cusparseStream);
int cusparseCreateCsr(cusparseSpMatDescr_t*, std::int64_t rows, std::int64_t columns, std::int64_t stored,
                      void* row_starts, void* column_indices, void* values, int starts_type, int columns_type, int base,
                      int value_type);
int cusparseDestroySpMat(cusparseSpMatDescr_t);
int cusparseCreateDnVec(cusparseDnVecDescr_t*, std::int64_t size, void* values, int type);
int cusparseDestroyDnVec(cusparseDnVecDescr_t);
int cusparseCreateDnMat(cusparseDnMatDescr_t*, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                        void* values, int type, int order);
int cusparseDestroyDnMat(cusparseDnMatDescr_t);
int cusparseSpMV_bufferSize(cusparseHandle_t, int operation, const void* alpha, cusparseSpMatDescr_t,
                            cusparseDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y, int compute,
                            int algorithm, std::size_t*);
int cusparseSpMV(cusparseHandle_t, int operation, const void* alpha, cusparseSpMatDescr_t, cusparseDnVecDescr_t x,
                 const void* beta, cusparseDnVecDescr_t y, int compute, int algorithm, void* buffer);
int cusparseSpMM_bufferSize(cusparseHandle_t, int operation, int dense_operation, const void* alpha,
                            cusparseSpMatDescr_t, cusparseDnMatDescr_t dense, const void* beta,
                            cusparseDnMatDescr_t result, int compute, int algorithm, std::size_t*);
int cusparseSpMM(cusparseHandle_t, int operation, int dense_operation, const void* alpha, cusparseSpMatDescr_t,
                 cusparseDnMatDescr_t dense, const void* beta, cusparseDnMatDescr_t result, int compute, int algorithm,
                 void* buffer);
}

namespace xcuda::library::cuda {

// clang-format off
#define XCUDA_CUSPARSE_FUNCTIONS(F) \
  F(cusparseCreate) F(cusparseDestroy) F(cusparseGetVersion) F(cusparseSetStream) F(cusparseCreateCsr) \
  F(cusparseDestroySpMat) F(cusparseCreateDnVec) F(cusparseDestroyDnVec) F(cusparseCreateDnMat) \
  F(cusparseDestroyDnMat) F(cusparseSpMV_bufferSize) F(cusparseSpMV) F(cusparseSpMM_bufferSize) F(cusparseSpMM)
// clang-format on

struct Cusparse {
  XCUDA_FUNCTION_TABLE(XCUDA_CUSPARSE_FUNCTIONS)
};

// Numbers from cusparse.h.
constexpr int kIndex32 = 2, kRowOrder = 2;
constexpr int kVectorAny = 0, kVectorFixed = 3;    // CUSPARSE_SPMV_ALG_DEFAULT, _CSR_ALG2
constexpr int kMatrixRows = 6, kMatrixFixed = 12;  // CUSPARSE_SPMM_CSR_ALG2, for row-major matrices; _CSR_ALG3

}  // namespace xcuda::library::cuda
