#include "runtime/math/blas_handles.hpp"
#include "runtime/math/blas_matrices.hpp"
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

}  // namespace

#define XCUDA_MATH_STATUS kBlasCodes.unsupported
const void* const kBlasSlots[] = {
#include "runtime/math/blas_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
