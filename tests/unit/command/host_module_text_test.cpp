#include "command/program/host_module_text.hpp"

#include <gtest/gtest.h>

#include "cell/parse.hpp"

namespace xcuda::command {
namespace {

HostModuleText text_of(const std::string& text) {
  const auto parsed = cell::try_parse_device_code(text, "In[1]");
  EXPECT_FALSE(parsed.error) << parsed.error->message;
  return host_module_text(parsed.cell, 0);
}
using Names = std::vector<std::string>;

TEST(HostModuleText, HasFunctionsWithExternalLinkageOfTheHost) {
  const auto made = text_of(
      "static int a() { return 1; }\n"
      "__device__ int b() { return 1; }\n"
      "__host__ __device__ int c() { return 1; }\n"
      "__global__ void d() {}\n"
      "struct E { int f(); };\n"
      "int E::f() { return 1; }\n"
      "int g();\n"
      "inline int h() { return 1; }\n"
      "extern \"C\" int i() { return 1; }\n"
      "extern \"C\" {\nint j() { return 1; }\n}\n"
      "namespace { int k() { return 1; } }\n"
      "namespace l { namespace m { int n() { return 1; } } }\n"
      "namespace o { namespace { int p() { return 1; } namespace q { int r() { return 1; } } } int s() { return 1; } "
      "}\n"
      "bool operator<(E, E) { return false; }\n");
  EXPECT_EQ(made.functions, (Names{"c", "h", "i", "j", "l::m::n", "o::s"}));
}

TEST(HostModuleText, KeepsLines) {
  const std::string text = "int f() {\n  return 1;\n}  // end\nint g() { return 2; }\n";
  const auto made = text_of(text);
  EXPECT_EQ(std::count(made.text.begin(), made.text.end(), '\n'), 4);
  EXPECT_NE(made.text.find("}); "), 0u);
  EXPECT_LT(made.text.find("xcuda_entry_0"), made.text.find("// end"));
  EXPECT_EQ(made.texts.at("g"), "int g() { return 2; }");
}

TEST(HostModuleText, TellsTemplatesAndOverloads) {
  const auto made = text_of(
      "template <class T> T f(T x) { return x; }\n"
      "auto g(auto x) { return x; }\n"
      "int h(const float* x, int n) { return n; }\n"
      "int h(int (*x)(int, int), int n) { return n; }\n");
  EXPECT_EQ(made.templates, (Names{"f", "g"}));
  EXPECT_EQ(made.functions, (Names{"h", "h"}));
  EXPECT_NE(made.text.find("Signature<void(const float* x, int n)>::of(&h, \"h\", \"x,n,\")"), std::string::npos)
      << made.text;
}

TEST(HostModuleText, MakesFunctionsOfDefaultArguments) {
  const auto made = text_of("int f(int a, int b = g(1, 2), float c = 3) { return a; }\n");
  EXPECT_NE(made.text.find("of(&f, \"f\", \"a,b,c,\")"), std::string::npos) << made.text;
  EXPECT_NE(made.text.find("of(+[](int a, int b) -> decltype(auto) { return f(a, b); }, \"f\", \"a,b,\")"),
            std::string::npos)
      << made.text;
  EXPECT_NE(made.text.find("of(+[](int a) -> decltype(auto) { return f(a); }, \"f\", \"a,\")"), std::string::npos);
  EXPECT_EQ(made.text.find("xcuda_entry_0_0("), std::string::npos);
}

}  // namespace
}  // namespace xcuda::command
