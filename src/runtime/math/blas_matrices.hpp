// What cuBLAS has beyond BLAS: sums and scalings of matrices, products out of place, small systems in batches.
#pragma once

#include "runtime/math/blas.hpp"

namespace xcuda::runtime::math {

template <class T, class I>
int geam(void* handle, Op left, Op right, I m, I n, const T* alpha, const T* a, I lda, const T* beta, const T* b, I ldb,
         T* c, I ldc);
template <class T, class I>
int dgmm(void* handle, Which side, I m, I n, const T* a, I lda, const T* x, I step, T* c, I ldc);
template <class T, class I>
int trmm(void* handle, Which side, Half half, Op op, Diagonal diagonal, I m, I n, const T* alpha, const T* a, I lda,
         const T* b, I ldb, T* c, I ldc);
// syrkx (beta is a T) and herkx (a real number): half of alpha op(a) op(b)^T + beta c.
template <class T, class I, class B>
int rank_k(void* handle, Half half, Op op, I n, I k, const T* alpha, const T* a, I lda, const T* b, I ldb,
           const B* beta, T* c, I ldc);
template <class T, class I>
int trsm_listed(void* handle, Which side, Half half, Op op, Diagonal diagonal, I m, I n, const T* alpha,
                const T* const* a, I lda, T* const* b, I ldb, I count);

// Conversion between the packed and the square form of half a matrix.
template <class T> int unpack(void* handle, Half half, int n, const T* packed, T* a, int lda);
template <class T> int pack(void* handle, Half half, int n, const T* a, int lda, T* packed);

// Functions of lists of square matrices. Without pivots, rows are not exchanged.
template <class T> int lu_listed(void* handle, int n, T* const* a, int lda, int* pivots, int* info, int count);
template <class T>
int solve_listed(void* handle, Op op, int n, int columns, const T* const* a, int lda, const int* pivots, T* const* b,
                 int ldb, int* info, int count);
template <class T>
int invert_lu_listed(void* handle, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                     int* info, int count);
template <class T>
int invert_listed(void* handle, int n, const T* const* a, int lda, T* const* c, int ldc, int* info, int count);
template <class T> int qr_listed(void* handle, int m, int n, T* const* a, int lda, T* const* tau, int* info, int count);
template <class T>
int least_squares_listed(void* handle, Op op, int m, int n, int columns, T* const* a, int lda, T* const* b, int ldb,
                         int* info, int* infos, int count);

}  // namespace xcuda::runtime::math
