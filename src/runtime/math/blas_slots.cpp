#include "runtime/math/blas_grouped.hpp"
#include "runtime/math/blas_handles.hpp"
#include "runtime/math/blas_matrices.hpp"
#include "runtime/math/blas_mixed.hpp"
#include "runtime/math/blas_patterns.hpp"
#include "runtime/math/blas_products.hpp"
#include "runtime/math/blas_vectors.hpp"
#include "runtime/math/blas_xt.hpp"
#include "runtime/math/slots.hpp"

namespace xcuda::runtime::math {
namespace {

using c32 = std::complex<float>;
using c64 = std::complex<double>;

template <class T, class I> constexpr auto same_rank_k = &rank_k<T, I, T>;
template <class T, class I> constexpr auto hermitian_rank_k = &rank_k<T, I, Part<T>>;

// Of the types of the matrices, complex numbers of float are there.
template <class I, class Scalar, auto function>
int half_product_ex(void* handle, Half half, Op op, I n, I k, const Scalar* alpha, const void* a, DataType type_a,
                    I lda, const Scalar* beta, void* c, DataType type_c, I ldc) {
  if (type_a != DataType::complex64 || type_c != DataType::complex64) {
    say_not_supported("cublas syrkEx", "elements of this type");
    return kBlasCodes.unsupported;
  }
  return function(handle, half, op, n, k, {alpha}, {static_cast<const c32*>(a)}, lda, {beta}, {static_cast<c32*>(c)},
                  ldc);
}
template <class I> constexpr auto syrk_ex = &half_product_ex<I, c32, Patterns<c32, I>::syrk::kCurrent>;
template <class I> constexpr auto herk_ex = &half_product_ex<I, float, Patterns<c32, I>::herk::kCurrent>;

}  // namespace

#define XCUDA_MATH_STATUS kBlasCodes.unsupported
const void* const kBlasSlots[] = {
#include "runtime/math/blas_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
