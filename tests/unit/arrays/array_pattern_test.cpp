#include "arrays/array_pattern.hpp"

#include <gtest/gtest.h>

#include "arrays/array_math.hpp"
#include "arrays/array_plans.hpp"

namespace xcuda::arrays {
namespace {

using Op = cell::BinaryOperator;

ArrayNodePtr floats(device::Address address, const Shape& shape = {8}) {
  Pointer pointer;
  pointer.address = address;
  pointer.type = type_of(Scalar::float32);
  pointer.shape = shape;
  return array_node(pointer, {});
}

ArrayNodePtr number(double value) { return scalar_node(language::ScalarValue::of(value), {}); }
ArrayNodePtr of(Op op, const ArrayNodePtr& a, const ArrayNodePtr& b) { return apply_node(op, {a, b}, a->shape, {}); }

bool alike(const ArrayNodePtr& a, const ArrayNodePtr& b) {
  ArrayPattern::Nodes nodes;
  return ArrayPattern::of(*a, nodes).value().matches(*b, nodes);
}

TEST(ArrayPattern, AddressesAndNumbersAreNoPartOfIt) {
  const auto tree = of(Op::add, of(Op::multiply, number(2), floats(0x1000)), floats(0x2000));
  const auto other = of(Op::add, of(Op::multiply, number(3), floats(0x5000)), floats(0x4000));
  ArrayPattern::Nodes nodes;
  const auto pattern = ArrayPattern::of(*tree, nodes).value();
  ASSERT_TRUE(pattern.matches(*other, nodes));
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[3].array.address, 0x5000u);
  EXPECT_EQ(nodes[4].array.address, 0x4000u);
  EXPECT_EQ(nodes.find(&nodes[4]), 4u);
}

TEST(ArrayPattern, WhatAKernelDependsOn) {
  const auto sum = of(Op::add, floats(0x1000), floats(0x2000));
  EXPECT_FALSE(alike(sum, of(Op::subtract, floats(0x1000), floats(0x2000))));
  EXPECT_FALSE(alike(sum, of(Op::add, floats(0x1000), floats(0x2000, {4}))));
  EXPECT_FALSE(alike(sum, of(Op::add, floats(0x1000), floats(0x2004))));  // cannot be read 16 bytes at once
  EXPECT_FALSE(alike(sum, of(Op::add, floats(0x1000), number(1))));
  EXPECT_FALSE(alike(sum, floats(0x1000)));
  auto strided = std::make_shared<ArrayNode>(*floats(0x2000));
  strided->array.strides = {2};
  EXPECT_FALSE(alike(sum, of(Op::add, floats(0x1000), strided)));
}

TEST(ArrayPattern, OneArrayTwiceIsOneParameter) {
  const auto squares = of(Op::multiply, floats(0x1000), floats(0x1000)),
             products = of(Op::multiply, floats(0x1000), floats(0x2000));
  EXPECT_TRUE(alike(squares, of(Op::multiply, floats(0x3000), floats(0x3000))));
  EXPECT_FALSE(alike(squares, products));
  EXPECT_FALSE(alike(products, squares));
  const auto once = number(2);
  EXPECT_FALSE(alike(of(Op::add, once, once), of(Op::add, number(2), number(2))));
}

TEST(ArrayPattern, LargeTreesHaveNone) {
  auto tree = floats(0x1000);
  for (std::size_t i = 0; i < ArrayPattern::kMost; ++i)
    tree = apply_node(cell::UnaryOperator::minus, {tree}, tree->shape, {});
  ArrayPattern::Nodes nodes;
  EXPECT_FALSE(ArrayPattern::of(*tree, nodes));
  EXPECT_EQ(nodes.size(), 0u);
}

TEST(ArrayPlans, AreKeptByWhatTheyAreMadeFor) {
  ArrayPlans plans;
  plans.keep_to(1, "");
  const auto tree = floats(0x1000);
  ReduceRequest sum{tree, "xcuda::Sum<xcuda_Own>", {}, {}, {}, {}};
  const auto keep = [&](const PlanKey& key) {
    ArrayPattern::Nodes nodes;
    auto pattern = ArrayPattern::of(key.node, nodes).value();
    const auto plan = std::make_shared<const ArrayPlan>();
    plans.add(key, plan, std::move(pattern));
    return plan.get();
  };
  ArrayPattern::Nodes nodes;
  const auto* const of_sum = keep({*tree, &sum});
  const auto* const of_elements = keep({*tree});
  const auto target = floats(0x3000)->array, unaligned = floats(0x3004)->array;
  const auto* const of_target = keep({*tree, nullptr, &target});
  const auto same = floats(0x7000);
  EXPECT_EQ(plans.find({*same, &sum}, nodes).get(), of_sum);
  EXPECT_EQ(plans.find({*same}, nodes).get(), of_elements);
  EXPECT_EQ(plans.find({*same, nullptr, &target}, nodes).get(), of_target);
  EXPECT_EQ(plans.find({*same, nullptr, &unaligned}, nodes), nullptr);
  auto least = sum;
  least.reducer = "xcuda::Min<xcuda_Own>";
  EXPECT_EQ(plans.find({*same, &least}, nodes), nullptr);
  sum.leaves = ReduceRequest::Leaves::state;
  EXPECT_EQ(plans.find({*same, &sum}, nodes), nullptr);

  const auto before = plans.generation();
  plans.keep_to(1, "");
  EXPECT_EQ(plans.generation(), before);
  plans.keep_to(2, "");  // a cell has changed what an expression may call
  EXPECT_GT(plans.generation(), before);
  EXPECT_EQ(plans.find({*same}, nodes), nullptr);
}

}  // namespace
}  // namespace xcuda::arrays
