#include "library/call.hpp"

#include <cstddef>

#include "library/product.hpp"

namespace xcuda::library {

Family family_of(Operation operation) {
  switch (operation) {
    case Operation::matmul: break;
    case Operation::random: return Family::random;
  }
  return Family::blas;
}

double operations_of(const Call& call) {
  return call.operation == Operation::matmul ? operations_of(product_of(call)) : 0;
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
