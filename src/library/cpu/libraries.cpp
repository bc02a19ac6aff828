#include "library/cpu/libraries.hpp"

#include "library/solver.hpp"

namespace xcuda::library::cpu {

const Facts& Libraries::open(const OpenRequest& request) {
  if (request.family == Family::random) return random_.facts();
  if (request.family == Family::fourier) return fourier_.facts();
  if (!blas_) blas_ = std::make_unique<OpenBlas>(request, threads_);
  return blas_->facts();
}

Report Libraries::run(const Call& call) {
  if (call.operation == Operation::random) return random_.run(call);
  if (call.operation == Operation::fourier) return fourier_.run(call);
  if (!blas_) blas_ = std::make_unique<OpenBlas>(call.library, threads_);
  return is_solver(call.operation) ? solve_with_lapack(*blas_, call) : multiply(*blas_, call);
}

}  // namespace xcuda::library::cpu
