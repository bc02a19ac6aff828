// The libraries of the CPU device: opened when they are first wanted, and called on its own memory.
#pragma once

#include <memory>

#include "library/call.hpp"
#include "library/cpu/cpu_random_numbers.hpp"
#include "library/cpu/fourier.hpp"
#include "library/cpu/openblas.hpp"

namespace xcuda::library::cpu {

class Libraries {
 public:
  explicit Libraries(int threads) : threads_(threads), random_(threads), fourier_(threads) {}

  const Facts& open(const OpenRequest& request);  // Error(unsupported)
  // Runs a call whose operands lie in this process's memory. Errors: value, unsupported, memory.
  Report run(const Call& call);

 private:
  int threads_;
  std::unique_ptr<OpenBlas> blas_;
  RandomNumbers random_;
  Fourier fourier_;
};

// Products with OpenBLAS; it has no 16-bit elements, which are computed in float, and no integers.
Report multiply(const OpenBlas& blas, const Call& call);
Report solve_with_lapack(const OpenBlas& blas, const Call& call);
Report multiply_sparse(const Call& call, int threads);

}  // namespace xcuda::library::cpu
