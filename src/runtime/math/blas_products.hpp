// Products of matrices in batches, and of elements of several types.
#pragma once

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

// A matrix, or one for each product of a batch: at one distance, or by a list of addresses in the device's memory.
struct Factor {
  const void* at = nullptr;
  DataType type = DataType::float32;
  std::int64_t leading = 1;
  long long distance = 0;  // elements
};
enum class Batch : std::uint8_t { strided, listed };

struct Products {
  Op left = Op::none, right = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  const void *alpha = nullptr, *beta = nullptr;
  DataType scale = DataType::float32;
  Factor a, b, c;
  Batch batch = Batch::strided;
  std::int64_t count = 1;
};
Outcome multiply(const char* function, Blas* blas, const Products& products);

// One product, computed at once: in float, double or complex numbers; shorter types in float, integers exactly.
struct Product {
  const void *a = nullptr, *b = nullptr;
  void* c = nullptr;
};
void multiply_now(const Products& products, const Product& product, std::complex<double> alpha,
                  std::complex<double> beta);
bool can_multiply(const Products& products);

// The type of the scalars of a computation, by cublasComputeType_t (or, before CUDA 11, a type of data). Nothing: -1.
int scale_type(int computation, DataType factors, DataType result);

template <class T>
inline constexpr DataType kDataType = std::is_same_v<T, float>                 ? DataType::float32
                                      : std::is_same_v<T, double>              ? DataType::float64
                                      : std::is_same_v<T, std::complex<float>> ? DataType::complex64
                                      : std::is_same_v<T, std::uint16_t>       ? DataType::half
                                                                               : DataType::complex128;

// T: float, double, complex numbers, or the bits of a half.
template <class T, class I>
int gemm_of(void* handle, Op left, Op right, I m, I n, I k, const T* alpha, const T* a, I lda, const T* b, I ldb,
            const T* beta, T* c, I ldc) {
  constexpr auto type = kDataType<T>;
  return kBlasCodes.of(
      multiply("cublas gemm", find_blas(handle),
               {left, right, m, n, k, alpha, beta, type, {a, type, lda}, {b, type, ldb}, {c, type, ldc}}));
}
template <class T, class I>
int gemm_strided(void* handle, Op left, Op right, I m, I n, I k, const T* alpha, const T* a, I lda, long long stride_a,
                 const T* b, I ldb, long long stride_b, const T* beta, T* c, I ldc, long long stride_c, I count) {
  constexpr auto type = kDataType<T>;
  return kBlasCodes.of(multiply("cublas gemmStridedBatched", find_blas(handle),
                                {left,
                                 right,
                                 m,
                                 n,
                                 k,
                                 alpha,
                                 beta,
                                 type,
                                 {a, type, lda, stride_a},
                                 {b, type, ldb, stride_b},
                                 {c, type, ldc, stride_c},
                                 Batch::strided,
                                 count}));
}
template <class T, class I>
int gemm_listed(void* handle, Op left, Op right, I m, I n, I k, const T* alpha, const T* const* a, I lda,
                const T* const* b, I ldb, const T* beta, T* const* c, I ldc, I count) {
  constexpr auto type = kDataType<T>;
  return kBlasCodes.of(multiply(
      "cublas gemmBatched", find_blas(handle),
      {left, right, m, n, k, alpha, beta, type, {a, type, lda}, {b, type, ldb}, {c, type, ldc}, Batch::listed, count}));
}

// The types of the matrices are arguments. T: of the scalars.
template <class T, class I>
int gemm_mixed(void* handle, Op left, Op right, I m, I n, I k, const T* alpha, const void* a, DataType type_a, I lda,
               const void* b, DataType type_b, I ldb, const T* beta, void* c, DataType type_c, I ldc) {
  return kBlasCodes.of(multiply(
      "cublas gemmEx", find_blas(handle),
      {left, right, m, n, k, alpha, beta, kDataType<T>, {a, type_a, lda}, {b, type_b, ldb}, {c, type_c, ldc}}));
}
Outcome multiply_ex(const char* function, void* handle, Products products, int computation);
template <class I>
int gemm_ex(void* handle, Op left, Op right, I m, I n, I k, const void* alpha, const void* a, DataType type_a, I lda,
            const void* b, DataType type_b, I ldb, const void* beta, void* c, DataType type_c, I ldc, int computation,
            int) {
  return kBlasCodes.of(multiply_ex(
      "cublasGemmEx", handle,
      {left, right, m, n, k, alpha, beta, {}, {a, type_a, lda}, {b, type_b, ldb}, {c, type_c, ldc}}, computation));
}
template <class I>
int gemm_strided_ex(void* handle, Op left, Op right, I m, I n, I k, const void* alpha, const void* a, DataType type_a,
                    I lda, long long stride_a, const void* b, DataType type_b, I ldb, long long stride_b,
                    const void* beta, void* c, DataType type_c, I ldc, long long stride_c, I count, int computation,
                    int) {
  return kBlasCodes.of(multiply_ex("cublasGemmStridedBatchedEx", handle,
                                   {left,
                                    right,
                                    m,
                                    n,
                                    k,
                                    alpha,
                                    beta,
                                    {},
                                    {a, type_a, lda, stride_a},
                                    {b, type_b, ldb, stride_b},
                                    {c, type_c, ldc, stride_c},
                                    Batch::strided,
                                    count},
                                   computation));
}
template <class I>
int gemm_listed_ex(void* handle, Op left, Op right, I m, I n, I k, const void* alpha, const void* const* a,
                   DataType type_a, I lda, const void* const* b, DataType type_b, I ldb, const void* beta,
                   void* const* c, DataType type_c, I ldc, I count, int computation, int) {
  return kBlasCodes.of(multiply_ex("cublasGemmBatchedEx", handle,
                                   {left,
                                    right,
                                    m,
                                    n,
                                    k,
                                    alpha,
                                    beta,
                                    {},
                                    {a, type_a, lda},
                                    {b, type_b, ldb},
                                    {c, type_c, ldc},
                                    Batch::listed,
                                    count},
                                   computation));
}

// The product of a matrix and a vector for each member of a batch.
template <class T, class I>
int gemv_strided(void* handle, Op op, I m, I n, const T* alpha, const T* a, I lda, long long stride_a, const T* x,
                 I step_x, long long stride_x, const T* beta, T* y, I step_y, long long stride_y, I count);
template <class T, class I>
int gemv_listed(void* handle, Op op, I m, I n, const T* alpha, const T* const* a, I lda, const T* const* x, I step_x,
                const T* beta, T* const* y, I step_y, I count);

}  // namespace xcuda::runtime::math
