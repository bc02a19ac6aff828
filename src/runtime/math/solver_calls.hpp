// The dense half of cuSOLVER over LAPACK. T: float, double, and complex numbers of these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

enum class Vectors : int { no, yes };  // cusolverEigMode_t

int create_solver(void** handle);
int destroy_solver(void* handle);
int set_solver_stream(void* handle, cudaStream_t stream);
int get_solver_stream(void* handle, cudaStream_t* stream);
int solver_version(int* version);
int solver_property(int which, int* value);
int create_parameters(void** parameters);
int destroy_parameters(void* parameters);
int set_jacobi_tolerance(void* parameters, double tolerance);
int set_jacobi_sweeps(void* parameters, int sweeps);

// Elements of memory that a call needs: one, as LAPACK gets memory of its own.
template <class T> int lu_size(void* handle, int m, int n, T* a, int lda, int* size);
template <class T> int cholesky_size(void* handle, Half half, int n, T* a, int lda, int* size);
template <class T>
int multiply_q_size(void* handle, Which side, Op op, int m, int n, int k, const T* a, int lda, const T* tau, const T* c,
                    int ldc, int* size);
template <class T> int make_q_size(void* handle, int m, int n, int k, const T* a, int lda, const T* tau, int* size);
int svd_size(void* handle, int m, int n, int* size);
template <class T>
int eigen_size(void* handle, Vectors vectors, Half half, int n, const T* a, int lda, const Part<T>* w, int* size);
template <class T>
int jacobi_size(void* handle, Vectors vectors, Half half, int n, const T* a, int lda, const Part<T>* w, int* size,
                void* parameters);
template <class T>
int general_eigen_size(void* handle, int type, Vectors vectors, Half half, int n, const T* a, int lda, const T* b,
                       int ldb, const Part<T>* w, int* size);
template <class T>
int jacobi_svd_size(void* handle, Vectors vectors, int economic, int m, int n, const T* a, int lda, const Part<T>* s,
                    const T* u, int ldu, const T* v, int ldv, int* size, void* parameters);

template <class T> int factor_lu(void* handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info);
template <class T>
int solve_lu(void* handle, Op op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb, int* info);
template <class T> int factor_cholesky(void* handle, Half half, int n, T* a, int lda, T* work, int size, int* info);
template <class T>
int solve_cholesky(void* handle, Half half, int n, int columns, const T* a, int lda, T* b, int ldb, int* info);
template <class T> int invert_cholesky(void* handle, Half half, int n, T* a, int lda, T* work, int size, int* info);
template <class T> int cholesky_listed(void* handle, Half half, int n, T** a, int lda, int* infos, int count);
template <class T>
int solve_cholesky_listed(void* handle, Half half, int n, int columns, T** a, int lda, T** b, int ldb, int* info,
                          int count);
template <class T> int factor_qr(void* handle, int m, int n, T* a, int lda, T* tau, T* work, int size, int* info);
template <class T>
int multiply_q(void* handle, Which side, Op op, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc,
               T* work, int size, int* info);
template <class T>
int make_q(void* handle, int m, int n, int k, T* a, int lda, const T* tau, T* work, int size, int* info);
template <class T>
int svd(void* handle, signed char left, signed char right, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu,
        T* vt, int ldvt, T* work, int size, Part<T>* more, int* info);
template <class T>
int jacobi_svd(void* handle, Vectors vectors, int economic, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu,
               T* v, int ldv, T* work, int size, int* info, void* parameters);
template <class T>
int eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T* work, int size, int* info);
template <class T>
int jacobi_eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T* work, int size,
                 int* info, void* parameters);
template <class T>
int general_eigen(void* handle, int type, Vectors vectors, Half half, int n, T* a, int lda, T* b, int ldb, Part<T>* w,
                  T* work, int size, int* info);

// Functions with the types as arguments, and extents of 64 bits. Sizes are in bytes.
int any_lu_size(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, const void* a,
                std::int64_t lda, DataType computation, std::size_t* device, std::size_t* host);
int any_lu(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           std::int64_t* pivots, DataType computation, void* device, std::size_t device_bytes, void* host,
           std::size_t host_bytes, int* info);
int any_solve_lu(void* handle, void* parameters, Op op, std::int64_t n, std::int64_t columns, DataType type,
                 const void* a, std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b,
                 std::int64_t ldb, int* info);
int any_cholesky_size(void* handle, void* parameters, Half half, std::int64_t n, DataType type, const void* a,
                      std::int64_t lda, DataType computation, std::size_t* device, std::size_t* host);
int any_cholesky(void* handle, void* parameters, Half half, std::int64_t n, DataType type, void* a, std::int64_t lda,
                 DataType computation, void* device, std::size_t device_bytes, void* host, std::size_t host_bytes,
                 int* info);
int any_solve_cholesky(void* handle, void* parameters, Half half, std::int64_t n, std::int64_t columns, DataType type,
                       const void* a, std::int64_t lda, DataType type_b, void* b, std::int64_t ldb, int* info);
int any_eigen_size(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type,
                   const void* a, std::int64_t lda, DataType type_w, const void* w, DataType computation,
                   std::size_t* device, std::size_t* host);
int any_eigen(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type, void* a,
              std::int64_t lda, DataType type_w, void* w, DataType computation, void* device, std::size_t device_bytes,
              void* host, std::size_t host_bytes, int* info);

}  // namespace xcuda::runtime::math
