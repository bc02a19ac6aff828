// Handles of cuSOLVER, and the factors of its dense half, over LAPACK. T: float, double, and complex numbers of these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"
#include "runtime/solver/solver_work.hpp"

namespace xcuda::runtime::math {

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
int set_jacobi_sorting(void* parameters, int sorts);
int get_jacobi_sweeps(void* handle, void* parameters, int* sweeps);
int get_jacobi_residual(void* handle, void* parameters, double* residual);
int set_algorithm(void* parameters, int function, int algorithm);
int set_solver_deterministic(void* handle, int mode);
int get_solver_deterministic(void* handle, int* mode);
int set_solver_math(void* handle, int mode);
int get_solver_math(void* handle, int* mode);
int set_solver_emulation(void* handle, int strategy);
int get_solver_emulation(void* handle, int* strategy);

// Elements of memory that a call needs: one, as LAPACK gets memory of its own.
template <class T> int lu_size(void* handle, int m, int n, T* a, int lda, int* size);
template <class T> int cholesky_size(void* handle, Half half, int n, T* a, int lda, int* size);
template <class T> int cholesky_factor_size(void* handle, Half half, int n, T* a, int lda, int* size);
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

}  // namespace xcuda::runtime::math
