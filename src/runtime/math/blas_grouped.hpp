// Products of several groups: those of one group have the same extents, and each has its own matrices. What describes
// the groups is memory of the host, and the lists of matrices are the device's.
#pragma once

#include "runtime/math/blas_products.hpp"

namespace xcuda::runtime::math {

template <class I> struct Groups {
  const Op *left, *right;
  const I *m, *n, *k, *lda, *ldb, *ldc;
  const void *alpha, *beta;  // one for each group
  const void *a, *b, *c;     // lists of addresses
  DataType type_a, type_b, type_c, scale;
  I count;
  const I* sizes;
};
template <class I> Outcome multiply_groups(const char* name, void* handle, const Groups<I>& g) {
  auto* const blas = find_blas(handle);
  if (blas == nullptr) return Outcome::uninitialized;
  if (g.count < 0) return Outcome::value;
  if (blas->pointers != PointerMode::host) {
    say_not_supported(name, "scalars in memory of the device");
    return Outcome::unsupported;
  }
  const auto nth_of = [](const void* list, std::int64_t i, std::size_t bytes) {
    return static_cast<const std::byte*>(list) + i * static_cast<std::int64_t>(bytes);
  };
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < g.count; ++i) {
    const auto scalar = element_bytes(g.scale);
    const auto matrices = [&](const void* list) { return nth_of(list, first, sizeof(void*)); };
    const auto outcome = multiply(name, blas,
                                  {g.left[i],
                                   g.right[i],
                                   g.m[i],
                                   g.n[i],
                                   g.k[i],
                                   nth_of(g.alpha, i, scalar),
                                   nth_of(g.beta, i, scalar),
                                   g.scale,
                                   {matrices(g.a), g.type_a, g.lda[i]},
                                   {matrices(g.b), g.type_b, g.ldb[i]},
                                   {matrices(g.c), g.type_c, g.ldc[i]},
                                   Batch::listed,
                                   g.sizes[i]});
    if (outcome != Outcome::done) return outcome;
    first += g.sizes[i];
  }
  return Outcome::done;
}

template <class T, class I>
int gemm_grouped(void* handle, const Op* left, const Op* right, const I* m, const I* n, const I* k, const T* alpha,
                 const T* const* a, const I* lda, const T* const* b, const I* ldb, const T* beta, T* const* c,
                 const I* ldc, I count, const I* sizes) {
  constexpr auto type = kDataType<T>;
  return kBlasCodes.of(multiply_groups<I>(
      "cublas gemmGroupedBatched", handle,
      {left, right, m, n, k, lda, ldb, ldc, alpha, beta, a, b, c, type, type, type, type, count, sizes}));
}
template <class I>
int gemm_grouped_ex(void* handle, const Op* left, const Op* right, const I* m, const I* n, const I* k,
                    const void* alpha, const void* const* a, DataType type_a, const I* lda, const void* const* b,
                    DataType type_b, const I* ldb, const void* beta, void* const* c, DataType type_c, const I* ldc,
                    I count, const I* sizes, int computation) {
  const int scale = scale_type(computation, type_a, type_c);
  if (scale < 0) return kBlasCodes.unsupported;
  return kBlasCodes.of(multiply_groups<I>("cublasGemmGroupedBatchedEx", handle,
                                          {left, right, m, n, k, lda, ldb, ldc, alpha, beta, a, b, c, type_a, type_b,
                                           type_c, static_cast<DataType>(scale), count, sizes}));
}

// The product of a matrix and a vector for each member of a batch, of short elements: the vectors are matrices of one
// row, whose columns are as far from each other as their elements.
template <class I>
int gemv_short(void* handle, Op op, I m, I n, const float* alpha, Factor a, Factor x, const float* beta, Factor y,
               Batch batch, I count) {
  auto* const blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (m < 0 || n < 0 || x.leading < 1 || y.leading < 1) return kBlasCodes.value;
  const bool as_is = op == Op::none;
  return kBlasCodes.of(multiply("cublas gemvBatched", blas,
                                {Op::none, as_is ? Op::transposed : Op::none, 1, as_is ? m : n, as_is ? n : m, alpha,
                                 beta, DataType::float32, x, a, y, batch, count}));
}
template <DataType in, DataType out, class I>
int gemv_short_listed(void* handle, Op op, I m, I n, const float* alpha, const void* const* a, I lda,
                      const void* const* x, I step_x, const float* beta, void* const* y, I step_y, I count) {
  return gemv_short<I>(handle, op, m, n, alpha, {a, in, lda}, {x, in, step_x}, beta, {y, out, step_y}, Batch::listed,
                       count);
}
template <DataType in, DataType out, class I>
int gemv_short_strided(void* handle, Op op, I m, I n, const float* alpha, const void* a, I lda, long long stride_a,
                       const void* x, I step_x, long long stride_x, const float* beta, void* y, I step_y,
                       long long stride_y, I count) {
  return gemv_short<I>(handle, op, m, n, alpha, {a, in, lda, stride_a}, {x, in, step_x, stride_x}, beta,
                       {y, out, step_y, stride_y}, Batch::strided, count);
}

}  // namespace xcuda::runtime::math
