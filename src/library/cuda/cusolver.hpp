// cuSOLVER, opened at run time: the functions of its dense part that are used here, which CUDA 12 and 13 share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/shared_library.hpp"

extern "C" {
using cusolverDnHandle_t = struct cusolverDnContext*;
using cusolverDnParams_t = struct cusolverDnParams*;
using cusolverStream = struct CUstream_st*;
int cusolverGetVersion(int*);
int cusolverDnCreate(cusolverDnHandle_t*);
int cusolverDnDestroy(cusolverDnHandle_t);
int cusolverDnSetStream(cusolverDnHandle_t, cusolverStream);
int cusolverDnCreateParams(cusolverDnParams_t*);
int cusolverDnDestroyParams(cusolverDnParams_t);
int cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, int type,
                                const void* a, std::int64_t lda, int compute, std::size_t* device, std::size_t* host);
int cusolverDnXgetrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, int type, void* a,
                     std::int64_t lda, std::int64_t* pivots, int compute, void* device, std::size_t device_bytes,
                     void* host, std::size_t host_bytes, int* info);
int cusolverDnXgetrs(cusolverDnHandle_t, cusolverDnParams_t, int transposed, std::int64_t n, std::int64_t k, int type,
                     const void* a, std::int64_t lda, const std::int64_t* pivots, int type_b, void* b, std::int64_t ldb,
                     int* info);
int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int half, std::int64_t n, int type,
                                const void* a, std::int64_t lda, int compute, std::size_t* device, std::size_t* host);
int cusolverDnXpotrf(cusolverDnHandle_t, cusolverDnParams_t, int half, std::int64_t n, int type, void* a,
                     std::int64_t lda, int compute, void* device, std::size_t device_bytes, void* host,
                     std::size_t host_bytes, int* info);
int cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, int type,
                                const void* a, std::int64_t lda, int type_tau, const void* tau, int compute,
                                std::size_t* device, std::size_t* host);
int cusolverDnXgeqrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, int type, void* a,
                     std::int64_t lda, int type_tau, void* tau, int compute, void* device, std::size_t device_bytes,
                     void* host, std::size_t host_bytes, int* info);
int cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int vectors, int half, std::int64_t n, int type,
                                const void* a, std::int64_t lda, int type_w, const void* w, int compute,
                                std::size_t* device, std::size_t* host);
int cusolverDnXsyevd(cusolverDnHandle_t, cusolverDnParams_t, int vectors, int half, std::int64_t n, int type, void* a,
                     std::int64_t lda, int type_w, void* w, int compute, void* device, std::size_t device_bytes,
                     void* host, std::size_t host_bytes, int* info);
int cusolverDnXgesvd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, signed char u_job, signed char v_job,
                                std::int64_t m, std::int64_t n, int type, const void* a, std::int64_t lda, int type_s,
                                const void* s, int type_u, const void* u, std::int64_t ldu, int type_v, const void* v,
                                std::int64_t ldv, int compute, std::size_t* device, std::size_t* host);
int cusolverDnXgesvd(cusolverDnHandle_t, cusolverDnParams_t, signed char u_job, signed char v_job, std::int64_t m,
                     std::int64_t n, int type, void* a, std::int64_t lda, int type_s, void* s, int type_u, void* u,
                     std::int64_t ldu, int type_v, void* v, std::int64_t ldv, int compute, void* device,
                     std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);
int cusolverDnXgeev_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int left, int right, std::int64_t n, int type,
                               const void* a, std::int64_t lda, int type_w, const void* w, int type_left,
                               const void* left_vectors, std::int64_t ld_left, int type_right,
                               const void* right_vectors, std::int64_t ld_right, int compute, std::size_t* device,
                               std::size_t* host);
int cusolverDnXgeev(cusolverDnHandle_t, cusolverDnParams_t, int left, int right, std::int64_t n, int type, void* a,
                    std::int64_t lda, int type_w, void* w, int type_left, void* left_vectors, std::int64_t ld_left,
                    int type_right, void* right_vectors, std::int64_t ld_right, int compute, void* device,
                    std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);
// Complex numbers are pointers to their parts here.
int cusolverDnSorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const float* a, int lda, const float* tau,
                                int* count);
int cusolverDnDorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const double* a, int lda, const double* tau,
                                int* count);
int cusolverDnCungqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const float* a, int lda, const float* tau,
                                int* count);
int cusolverDnZungqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const double* a, int lda, const double* tau,
                                int* count);
int cusolverDnSorgqr(cusolverDnHandle_t, int m, int n, int k, float* a, int lda, const float* tau, float* work,
                     int count, int* info);
int cusolverDnDorgqr(cusolverDnHandle_t, int m, int n, int k, double* a, int lda, const double* tau, double* work,
                     int count, int* info);
int cusolverDnCungqr(cusolverDnHandle_t, int m, int n, int k, float* a, int lda, const float* tau, float* work,
                     int count, int* info);
int cusolverDnZungqr(cusolverDnHandle_t, int m, int n, int k, double* a, int lda, const double* tau, double* work,
                     int count, int* info);
}

namespace xcuda::library::cuda {

// clang-format off
#define XCUDA_CUSOLVER_FUNCTIONS(F) \
  F(cusolverGetVersion) F(cusolverDnCreate) F(cusolverDnDestroy) F(cusolverDnSetStream) F(cusolverDnCreateParams) \
  F(cusolverDnDestroyParams) F(cusolverDnXgetrf_bufferSize) F(cusolverDnXgetrf) F(cusolverDnXgetrs) \
  F(cusolverDnXpotrf_bufferSize) F(cusolverDnXpotrf) F(cusolverDnXgeqrf_bufferSize) F(cusolverDnXgeqrf) \
  F(cusolverDnXsyevd_bufferSize) F(cusolverDnXsyevd) F(cusolverDnXgesvd_bufferSize) F(cusolverDnXgesvd) \
  F(cusolverDnSorgqr_bufferSize) F(cusolverDnDorgqr_bufferSize) F(cusolverDnCungqr_bufferSize) \
  F(cusolverDnZungqr_bufferSize) F(cusolverDnSorgqr) F(cusolverDnDorgqr) F(cusolverDnCungqr) F(cusolverDnZungqr)
// clang-format on

struct Cusolver {
  XCUDA_FUNCTION_TABLE(XCUDA_CUSOLVER_FUNCTIONS)
};

// Functions that cuSOLVER 11.7.1 of CUDA 12.6 Update 2 added.
#define XCUDA_NEWER_CUSOLVER_FUNCTIONS(F) F(cusolverDnXgeev_bufferSize) F(cusolverDnXgeev)
struct NewerCusolver {
  XCUDA_FUNCTION_TABLE(XCUDA_NEWER_CUSOLVER_FUNCTIONS)
};

}  // namespace xcuda::library::cuda
