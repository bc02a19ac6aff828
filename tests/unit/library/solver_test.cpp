#include "library/solver.hpp"

#include <gtest/gtest.h>

namespace xcuda::library {
namespace {

Operand matrices(Scalar type, std::vector<std::uint64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * static_cast<std::int64_t>(shape[d + 1]);
  return {4096, type, std::move(shape), std::move(strides)};
}

Call call_of(Operation operation, std::vector<Operand> operands) {
  Call call;
  call.operation = operation;
  call.operands = std::move(operands);
  return call;
}

const Operand kInfo = matrices(Scalar::int32, {2});
const Operand kPivots = matrices(Scalar::int64, {2, 30});

TEST(SolverOperations, AreThoseOfLapacksWorkingNotes) {
  const auto a = matrices(Scalar::float64, {2, 30, 30}), tall = matrices(Scalar::float64, {2, 30, 60}),
             wide = matrices(Scalar::float64, {2, 60, 30}), b = matrices(Scalar::float64, {2, 3, 30});
  EXPECT_EQ(operations_of(call_of(Operation::solve, {b, a, kPivots, kInfo})), 2 * (18000.0 + 5400));
  EXPECT_EQ(operations_of(call_of(Operation::lu, {a, kPivots, kInfo})), 2 * 18000.0);
  EXPECT_EQ(operations_of(call_of(Operation::lu, {tall, kPivots, kInfo})), 2 * 45000.0);
  EXPECT_EQ(operations_of(call_of(Operation::lu, {wide, kPivots, kInfo})), 2 * 45000.0);
  EXPECT_EQ(operations_of(call_of(Operation::cholesky, {a, kInfo})), 2 * 9000.0);
  EXPECT_EQ(operations_of(call_of(Operation::qr, {tall, kPivots, kInfo})), 2 * 90000.0);
  EXPECT_EQ(operations_of(call_of(Operation::orthogonal, {tall, kPivots, kInfo})), 2 * 90000.0);
}

TEST(SolverOperations, OfComplexNumbersAreFourTimesAsMany) {
  const auto a = matrices(Scalar::complex64, {2, 30, 30});
  EXPECT_EQ(operations_of(call_of(Operation::cholesky, {a, kInfo})), 8 * 9000.0);
}

TEST(SolverOperations, AreNotCountedWhereTheMatrixDecides) {
  const auto a = matrices(Scalar::float64, {2, 30, 30});
  EXPECT_EQ(operations_of(call_of(Operation::svd, {kPivots, a, {}, {}, kInfo})), 0);
  EXPECT_EQ(operations_of(call_of(Operation::eigenvalues, {kPivots, a, kInfo})), 0);
}

}  // namespace
}  // namespace xcuda::library
