#include "library/product.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "tests/unit/library/operands.hpp"

namespace xcuda::library {
namespace {

TEST(Product, LayoutsThatALibraryReads) {
  const auto layout = [](Shape shape, Strides strides) {
    return layout_of(operand(std::move(shape), std::move(strides)));
  };
  EXPECT_EQ(layout({3, 4}, {4, 1})->order, Order::row);
  EXPECT_EQ(layout({3, 4}, {9, 1})->leading, 9);
  EXPECT_EQ(layout({3, 4}, {1, 3})->order, Order::column);
  EXPECT_EQ(layout({3, 4}, {1, 7})->leading, 7);
  EXPECT_FALSE(layout({3, 4}, {8, 2}));                     // every second column
  EXPECT_FALSE(layout({3, 4}, {-4, 1}));                    // rows from the last one on
  EXPECT_FALSE(layout({3, 4}, {0, 1}));                     // one row, repeated
  EXPECT_EQ(layout({1, 4}, {0, 3})->order, Order::column);  // a vector with gaps is a row of columns
  EXPECT_EQ(layout({4, 1}, {3, 0})->order, Order::row);
  EXPECT_TRUE(can_be_either(operand({1, 4}, {4, 1})));
  EXPECT_FALSE(can_be_either(operand({3, 4}, {4, 1})));
}

TEST(Product, BatchesThatCanBeWalkedAsOne) {
  // [5][2][3][4] by [5][2][4][6]
  const auto one = product_of(call_of(operand({5, 2, 3, 6}, {36, 18, 6, 1}), operand({5, 2, 3, 4}, {24, 12, 4, 1}),
                                      operand({5, 2, 4, 6}, {48, 24, 6, 1})));
  EXPECT_EQ(one.batch, 10u);
  EXPECT_EQ(one.distance[kRight], 24);
  EXPECT_EQ(one.starts.size(), 1u);
  // The right factor repeats along the first batch only.
  const auto two = product_of(call_of(operand({5, 2, 3, 6}, {36, 18, 6, 1}), operand({5, 2, 3, 4}, {24, 12, 4, 1}),
                                      operand({5, 2, 4, 6}, {0, 24, 6, 1})));
  EXPECT_EQ(two.batch, 2u);
  ASSERT_EQ(two.starts.size(), 5u);
  EXPECT_EQ(two.starts[3][kResult], 108);
  EXPECT_EQ(two.starts[3][kRight], 0);
  // One matrix for all batches: their rows are rows of one matrix.
  const auto flat = product_of(
      call_of(operand({7, 3, 6}, {18, 6, 1}), operand({7, 3, 4}, {12, 4, 1}), operand({7, 4, 6}, {0, 6, 1})));
  EXPECT_EQ(flat.m, 21u);
  EXPECT_EQ(flat.batch, 1u);
  EXPECT_EQ(operations_of(flat), 2.0 * 21 * 6 * 4);
}

TEST(Product, WhatDoesNotFitIsAnError) {
  EXPECT_THROW(product_of(call_of(operand({3, 6}, {6, 1}), operand({3, 4}, {4, 1}), operand({5, 6}, {6, 1}))), Error);
  EXPECT_THROW(product_of(call_of(operand({3, 6}, {6, 1}), operand({3, 4}, {8, 2}), operand({4, 6}, {6, 1}))), Error);
  auto bias = call_of(operand({3, 6}, {6, 1}), operand({3, 4}, {4, 1}), operand({4, 6}, {6, 1}));
  bias.operands[kBias] = operand({5}, {1});
  EXPECT_THROW(product_of(bias), Error);
}

}  // namespace
}  // namespace xcuda::library
