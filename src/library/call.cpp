#include "library/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

#include "library/product.hpp"
#include "library/solver.hpp"
#include "library/sparse_product.hpp"
#include "library/transform.hpp"

namespace xcuda::library {

Family family_of(Operation operation) {
  switch (operation) {
    case Operation::matmul: break;
    case Operation::random: return Family::random;
    case Operation::fourier: return Family::fourier;
    case Operation::lu:
    case Operation::solve:
    case Operation::cholesky:
    case Operation::qr:
    case Operation::orthogonal:
    case Operation::svd:
    case Operation::eigenvalues:
    case Operation::eigenvectors:
    case Operation::eigen_general: return Family::solver;
    case Operation::sparse_product: return Family::sparse;
  }
  return Family::blas;
}

double operations_of(const Call& call) {
  switch (call.operation) {
    case Operation::matmul: return operations_of(product_of(call));
    case Operation::fourier: return operations_of_transform(call);
    case Operation::sparse_product: return operations_of(sparse_product_of(call));
    default: return is_solver(call.operation) ? operations_of_solver(call) : 0;
  }
}

std::string plan_key(const Call& call) {
  if (call.operation == Operation::fourier) return plan_key(transform_of(call));
  auto key = fmt::format("{} {} {} {}", static_cast<int>(call.operation), static_cast<int>(call.sums),
                         static_cast<int>(call.precision), call.scalars);
  for (const auto& operand : call.operands)
    key += fmt::format(" {} {} {}", static_cast<int>(operand.type), operand.shape, operand.strides);
  return key;
}

Scalar arithmetic_type_of(const Call& call) {
  return call.operands[call.operation == Operation::matmul ? kLeft : 0].type;
}

Reach reach_of(const Operand& operand) {
  std::int64_t low = 0, high = 0;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const auto reach = operand.strides[d] * static_cast<std::int64_t>(operand.shape[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const auto size = static_cast<std::int64_t>(size_of(operand.type));
  return {operand.address + static_cast<std::uint64_t>(low * size),
          operand.address + static_cast<std::uint64_t>((high + 1) * size)};
}

}  // namespace xcuda::library
