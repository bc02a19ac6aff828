#include "library/solver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace xcuda::library {
namespace {

Error wrong_problem(std::string what) { return Error(ErrorKind::value, "solver: " + std::move(what)); }

bool has_gaps(const Operand& operand) {
  std::int64_t stride = 1;
  for (auto d = operand.shape.size(); d-- > 0; stride *= static_cast<std::int64_t>(operand.shape[d]))
    if (operand.shape[d] > 1 && operand.strides[d] != stride) return true;
  return false;
}

}  // namespace

bool is_solver(Operation operation) { return family_of(operation) == Family::solver; }

std::size_t matrix_of(Operation operation) {
  switch (operation) {
    case Operation::solve:
    case Operation::svd:
    case Operation::eigenvalues:
    case Operation::eigenvectors:
    case Operation::eigen_general: return 1;
    default: return 0;
  }
}

Problem problem_of(const Call& call) {
  const auto& operands = call.operands;
  const auto at = matrix_of(call.operation);
  if (!is_solver(call.operation) || operands.size() < at + 2) throw wrong_problem("operands are missing");
  for (const auto& one : operands)
    if (one.is_given() && (one.shape.size() != one.strides.size() || one.shape.empty() || has_gaps(one)))
      throw wrong_problem("an operand has gaps");
  const auto& matrix = operands[at];
  if (matrix.shape.size() != 3) throw wrong_problem("the matrix is not one of a batch");
  if (matrix.type != Scalar::float32 && matrix.type != Scalar::float64 && matrix.type < Scalar::complex64)
    throw Error(ErrorKind::unsupported,
                fmt::format("solver: matrices of {} are not supported", type_of(matrix.type).name));
  Problem problem{matrix.type, matrix.shape[0], matrix.shape[2], matrix.shape[1], 0};
  for (const auto& one : operands)
    if (one.is_given() && one.shape[0] != problem.batch) throw wrong_problem("the batches do not match");
  const bool square = call.operation == Operation::solve || call.operation == Operation::cholesky ||
                      call.operation >= Operation::eigenvalues;
  if (square && problem.m != problem.n) throw wrong_problem("the matrix is not square");
  if (call.operation == Operation::eigen_general && matrix.type < Scalar::complex64)
    throw Error(ErrorKind::unsupported,
                "solver: the eigenvalues of a general matrix are complex: convert the matrix to complex first");
  if (call.operation == Operation::solve) problem.k = operands[0].shape[1];
  if (call.operation == Operation::orthogonal) problem.k = operands[1].shape[1];
  if (call.operation == Operation::svd) {
    if (problem.m < problem.n) throw wrong_problem("svd takes at least as many rows as columns");
    problem.k = operands[2].is_given() ? operands[2].shape[1] : 0;
  }
  const auto most = std::max(problem.m, problem.n);
  if (most == 0 || most > 0x7fff'ffff) throw wrong_problem("an extent is 0, or 2^31 or more");
  return problem;
}

// For complex numbers each multiplication with an addition is 8 operations instead of 2.
double operations_of_solver(const Call& call) {
  const auto problem = problem_of(call);
  const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);
  const double least = std::min(m, n), most = std::max(m, n);
  const double count = [&] {
    switch (call.operation) {
      case Operation::lu: return most * least * least - least * least * least / 3;
      case Operation::solve: return 2 * n * n * n / 3 + 2 * n * n * k;
      case Operation::cholesky: return n * n * n / 3;
      case Operation::qr: return 2 * most * least * least - 2 * least * least * least / 3;
      case Operation::orthogonal: return 4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3;
      default: return 0.0;
    }
  }();
  return count * static_cast<double>(problem.batch) * (problem.type >= Scalar::complex64 ? 4 : 1);
}

}  // namespace xcuda::library
