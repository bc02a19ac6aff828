// cublasXt: products of matrices in memory of the host, of any size.
#pragma once

#include "runtime/math/blas.hpp"

namespace xcuda::runtime::math {

int create_xt(void** handle);
int destroy_xt(void* handle);
int select_xt_devices(void* handle, int count, int* devices);
int set_xt_block(void* handle, int extent);
int get_xt_block(void* handle, int* extent);
int set_xt_pinning(void* handle, int mode);
int get_xt_pinning(void* handle, int* mode);
int most_xt_boards(int* count);
int count_xt_boards(int count, int* devices, int* boards);
template <class T>
int multiply_xt(void* handle, Op left, Op right, std::size_t m, std::size_t n, std::size_t k, const T* alpha,
                const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta, T* c, std::size_t ldc);

}  // namespace xcuda::runtime::math
