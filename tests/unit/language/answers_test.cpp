// Host code among device code has an answer at its place.
#include "language/answers.hpp"

#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::language {
namespace {

struct HostCode {
  std::string text, message;
  int line, column, width;
};
void PrintTo(const HostCode& code, std::ostream* out) { *out << code.text; }

class Answers : public testing::TestWithParam<HostCode> {};
TEST_P(Answers, NameTheWayToDoItHere) {
  const auto& code = GetParam();
  const auto device_code = [](std::string_view, cell::MagicShape) { return cell::MagicText::device_code; };
  const auto error = host_code_error(cell::parse_cell(code.text, "In[7]", device_code), "In[7]");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::unsupported);
  EXPECT_EQ(error->message, code.message);
  EXPECT_FALSE(error->advice.empty());
  ASSERT_TRUE(error->place);
  EXPECT_EQ(error->place->line, code.line);
  EXPECT_EQ(error->place->column, code.column);
  EXPECT_EQ(error->place->width, code.width);
}

INSTANTIATE_TEST_SUITE_P(HostCode, Answers,
                         testing::Values(HostCode{"namespace s { void f() {\n  k<<<1, 2>>>(x);\n} }",
                                                  "a launch inside the function s::f", 2, 4, 3},
                                         HostCode{"constexpr int f(float* x) { cudaFree(x); return 1; }",
                                                  "cudaFree inside the function f: functions of a cell are device code",
                                                  1, 29, 8}));

TEST(Answers, FunctionsThatRunAsStatementsNeedNone) {
  EXPECT_FALSE(
      host_code_error(cell::parse_cell("void f(float* x) { k<<<1, 2>>>(x); cudaFree(x); }", "In[1]"), "In[1]"));
}

TEST(Answers, KernelsLaunchKernels) {
  EXPECT_FALSE(host_code_error(cell::parse_cell("__global__ void f() { k<<<1, 2>>>(); }", "In[1]"), "In[1]"));
}

TEST(Answers, DeviceCodeNeedsNone) {
  EXPECT_FALSE(
      host_code_error(cell::parse_cell("__device__ float f(float x) { return std::min(x, 1.f); }", "In[1]"), "In[1]"));
  EXPECT_FALSE(host_code_answer("saxpy"));
  EXPECT_EQ(familiar_member("sum", "x"), "sum(x)");
  EXPECT_EQ(familiar_function("saxpy", "x"), "");
}

}  // namespace
}  // namespace xcuda::language
