#include "library/cpu/cpu_libraries.hpp"

#include "library/solver.hpp"

namespace xcuda::library::cpu {
namespace {

const Facts kSparseFacts{"sparse products", "of the CPU device", "", 0, 0};

}  // namespace

const Facts& Libraries::open(const OpenRequest& request) {
  if (request.family == Family::random) return random_.facts();
  if (request.family == Family::fourier) return fourier_.facts();
  if (request.family == Family::sparse) return kSparseFacts;
  if (!blas_) blas_ = std::make_unique<OpenBlas>(request, threads_);
  return blas_->facts();
}

Report Libraries::run(const Call& call) {
  if (call.operation == Operation::random) return random_.run(call);
  if (call.operation == Operation::fourier) return fourier_.run(call);
  if (call.operation == Operation::sparse_product) return multiply_sparse(call, threads_);
  if (!blas_) blas_ = std::make_unique<OpenBlas>(call.library, threads_);
  return is_solver(call.operation) ? solve_with_lapack(*blas_, call) : multiply(*blas_, call);
}

}  // namespace xcuda::library::cpu
