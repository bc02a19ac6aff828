#include "runtime/math/slots.hpp"
#include "runtime/solver/solver_any.hpp"
#include "runtime/solver/solver_factors.hpp"
#include "runtime/solver/solver_parts.hpp"
#include "runtime/solver/solver_refactor.hpp"
#include "runtime/solver/solver_refined.hpp"
#include "runtime/solver/solver_singular.hpp"
#include "runtime/solver/solver_sparse.hpp"
#include "runtime/solver/solver_sparse_rows.hpp"

namespace xcuda::runtime::math {
namespace {

using c32 = std::complex<float>;
using c64 = std::complex<double>;

}  // namespace

#define XCUDA_MATH_STATUS kSolverCodes.unsupported
const void* const kSolverSlots[] = {
#include "runtime/math/solver_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
