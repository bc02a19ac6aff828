#include "library/transform.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/unit/library/operands.hpp"

namespace xcuda::library {
namespace {

Call planned(Shape to_shape, Strides to, Shape from_shape, Strides from, std::size_t axes,
             Scalar from_type = Scalar::complex64, std::uint64_t at = 0x1000) {
  Call call;
  call.operation = Operation::fourier;
  call.operands = {operand(std::move(to_shape), std::move(to), Scalar::complex64, reinterpret_cast<void*>(0x8000)),
                   operand(std::move(from_shape), std::move(from), from_type, reinterpret_cast<void*>(at))};
  call.scalars = {static_cast<double>(axes), -1};
  return call;
}

using Around = std::vector<std::int64_t>;

TEST(Transform, LinesOfAnArrayAreABatch) {
  const auto plan = transform_of(planned({3, 5, 8}, {40, 8, 1}, {3, 5, 8}, {40, 8, 1}, 1));
  EXPECT_EQ(plan.batch, 15U);
  EXPECT_EQ(plan.distance, (std::array<std::int64_t, 2>{8, 8}));
  EXPECT_EQ(plan.stride, (std::array<std::int64_t, 2>{1, 1}));
  EXPECT_EQ(plan.starts.size(), 1U);
}

TEST(Transform, ColumnsHaveAStride) {
  const auto plan = transform_of(planned({8, 5}, {1, 8}, {8, 5}, {1, 8}, 1));
  EXPECT_EQ(plan.batch, 8U);
  EXPECT_EQ(plan.distance[kGiven], 1);
  EXPECT_EQ(plan.stride[kGiven], 8);
}

TEST(Transform, APartOfAMatrixIsEmbedded) {
  // Every second column of [6][20], and of [3][6][20] its lower half.
  const auto plan = transform_of(planned({3, 3, 10}, {30, 10, 1}, {3, 3, 10}, {120, 20, 2}, 2));
  EXPECT_EQ(plan.stride[kGiven], 2);
  EXPECT_EQ(plan.around[kGiven], (Around{3, 10}));
  EXPECT_EQ(plan.distance[kGiven], 120);
  const auto wide = transform_of(planned({4, 4}, {4, 1}, {4, 4}, {12, 1}, 2));
  EXPECT_EQ(wide.around[kGiven], (Around{4, 12}));
  EXPECT_EQ(wide.batch, 1U);
}

TEST(Transform, ExtentsOfOneHaveAnyStride) {
  const auto plan = transform_of(planned({4, 1}, {1, 77}, {4, 1}, {3, 5}, 2));
  EXPECT_EQ(plan.stride[kGiven], 3);
  EXPECT_EQ(plan.around[kGiven], (Around{4, 1}));
}

TEST(Transform, RealNumbersHaveHalfAsMany) {
  const auto plan = transform_of(planned({2, 5}, {5, 1}, {2, 9}, {9, 1}, 1, Scalar::float32));
  EXPECT_EQ(plan.kind, Transform::Kind::from_real);
  EXPECT_EQ(plan.lengths, (std::vector<std::uint64_t>{9}));
  EXPECT_EQ(plan.distance, (std::array<std::int64_t, 2>{5, 9}));
}

TEST(Transform, BatchesAtSeveralDistancesStartAnew) {
  const auto plan = transform_of(planned({2, 7, 4}, {28, 4, 1}, {2, 7, 4}, {28, 1, 7}, 1));
  EXPECT_EQ(plan.batch, 7U);
  EXPECT_EQ(plan.starts, (std::vector<std::array<std::int64_t, 2>>{{0, 0}, {28, 28}}));
}

TEST(Transform, WhatIsNotOnePlanIsCopied) {
  EXPECT_TRUE(is_one_plan(planned({2, 7, 4}, {28, 4, 1}, {2, 7, 4}, {28, 1, 7}, 1)));
  EXPECT_FALSE(is_one_plan(planned({20, 30, 4}, {120, 4, 1}, {20, 30, 4}, {120, 1, 30}, 1)));  // 20 pieces
  EXPECT_FALSE(is_one_plan(planned({8}, {1}, {8}, {-1}, 1)));
  EXPECT_FALSE(is_one_plan(planned({3, 8}, {8, 1}, {3, 8}, {0, 1}, 1)));  // repeated
  EXPECT_FALSE(is_one_plan(planned({4, 4}, {4, 1}, {4, 4}, {1, 4}, 2)));  // transposed
  EXPECT_FALSE(is_one_plan(planned({4, 4}, {4, 1}, {4, 4}, {7, 2}, 2)));  // 7 is not a multiple of 2
  EXPECT_TRUE(is_one_plan(planned({5}, {1}, {8}, {1}, 1, Scalar::float32)));
  EXPECT_FALSE(is_one_plan(planned({5}, {1}, {8}, {1}, 1, Scalar::float32, 0x1004)));  // not where two floats begin
}

TEST(Transform, OperationsAreThoseOfTheConvention) {
  EXPECT_EQ(operations_of(planned({2, 8}, {8, 1}, {2, 8}, {8, 1}, 1)), 5 * 2 * 8 * 3);
  EXPECT_EQ(operations_of(planned({2, 5}, {5, 1}, {2, 8}, {8, 1}, 1, Scalar::float32)), 2.5 * 2 * 8 * 3);
}

TEST(Transform, CallsOfOneKeyDifferInAddresses) {
  const auto one = planned({8}, {1}, {8}, {1}, 1), other = planned({8}, {1}, {8}, {1}, 1, Scalar::complex64, 0x2000);
  EXPECT_EQ(plan_key(one), plan_key(other));
  EXPECT_NE(plan_key(one), plan_key(planned({8}, {1}, {8}, {2}, 1)));
}

}  // namespace
}  // namespace xcuda::library
