// What a call of a solver asks for. Matrices are [batch, columns, rows]: column by column, without gaps, one after the
// other.
#pragma once

#include <cstdint>

#include "library/call.hpp"

namespace xcuda::library {

struct Problem {
  Scalar type = Scalar::none;  // float32, float64, complex64, complex128
  std::uint64_t batch = 1;
  std::uint64_t m = 0, n = 0;  // rows and columns of the matrix that is taken apart
  std::uint64_t k = 0;         // solve: columns of b; orthogonal: vectors that qr found; svd: columns of u
};

bool is_solver(Operation operation);
std::size_t matrix_of(Operation operation);  // which of the operands is taken apart
Problem problem_of(const Call& call);        // Error(value)
// Floating-point operations as LAPACK's working notes count them; 0 where the matrix decides the number of steps:
// singular values, eigenvalues.
double operations_of_solver(const Call& call);

}  // namespace xcuda::library
