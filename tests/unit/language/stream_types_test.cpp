#include "language/host/stream_types.hpp"

#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::language {
namespace {

std::optional<StreamOutput> output_of(const std::string& text, cell::ExpressionPtr& tree) {
  tree = cell::parse_expression(text, "In[1]");
  const auto* binary = std::get_if<cell::Binary>(&tree->node);
  return binary == nullptr ? std::nullopt : stream_output(*binary);
}

TEST(OutputStreams, OperandsAreReadFromTheLeft) {
  cell::ExpressionPtr tree;
  const auto output = output_of("std::cerr << 1 + 2 << \"a\" << std::endl", tree);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->stream, StreamName::errors);
  ASSERT_EQ(output->operands.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<cell::Binary>(output->operands[0]->node));
  ASSERT_NE(manipulator_of(*output->operands[2]), nullptr);
  EXPECT_EQ(manipulator_of(*output->operands[2])->does, Manipulator::line_end);
}

TEST(OutputStreams, OtherShiftsAreNone) {
  cell::ExpressionPtr tree;
  for (const char* text : {"x << 3", "std::cout >> x", "1 << std::cout", "(std::cout << 1) + 2"})
    EXPECT_FALSE(output_of(text, tree)) << text;
}

TEST(OutputStreams, ManipulatorsWithArgumentsAreCalls) {
  EXPECT_NE(manipulator_of(*cell::parse_expression("std::setw(8)", "In[1]")), nullptr);
  EXPECT_NE(manipulator_of(*cell::parse_expression("setw(8)", "In[1]")), nullptr);
  EXPECT_EQ(manipulator_of(*cell::parse_expression("std::setw", "In[1]")), nullptr);
  EXPECT_EQ(manipulator_of(*cell::parse_expression("std::fixed(8)", "In[1]")), nullptr);
}

}  // namespace
}  // namespace xcuda::language
