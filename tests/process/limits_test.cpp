// What is too deep, too long or too many for the session is an error that names the limit, and the session goes on with
// its arrays. The cells are generated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "command/runner.hpp"
#include "display/error_report.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {
namespace {

std::string times(std::size_t count, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part(i);
  return text;
}
std::string times(std::size_t count, std::string_view part) {
  return times(count, [&](std::size_t) { return std::string(part); });
}

class Limits : public testing::Test {
 protected:
  Limits() : machine_(make_machine()), session_(make_parts(machine_, {}), runner_) {
    EXPECT_EQ(failure("int kept[3] = {1, 2, 3};"), "");
  }
  ~Limits() override { EXPECT_EQ(failure("assert(kept[0] == 1 && kept[2] == 3);"), ""); }

  // The message, and what to do; empty when the cell runs.
  std::string failure(const std::string& code) {
    sink_.text.clear();
    const auto failed = interpreter::run_cell(session_, {code, fmt::format("In[{}]", ++cells_), {}}, sink_);
    if (!failed) return "";
    EXPECT_NE(failed->error.kind, ErrorKind::internal) << failed->error.message;
    return failed->error.message;
  }
  std::string shown(const std::string& code) {
    EXPECT_EQ(failure(code), "");
    return sink_.text;
  }

  Machine machine_;
  command::Runner runner_;
  session::Session session_;
  TextSink sink_;
  int cells_ = 0;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Limits, ExtentsOfAnArray) {
  EXPECT_SAYS(shown("float x" + times(32, "[1]") + ";\nx"), "0.");
  for (const std::size_t count : {33, 20'000}) {
    const auto limit = fmt::format("{} extents, but an array has at most 32", count);
    EXPECT_SAYS(failure("float y" + times(count, "[1]") + ";\ny"), limit);
    EXPECT_SAYS(failure("float y" + times(count, "[1]") + " = 1;"), limit);
    EXPECT_SAYS(failure("reshape(kept, 3" + times(count - 1, ", 1") + ")"), limit);
    EXPECT_SAYS(failure("auto y = reshape(kept, {3" + times(count - 1, ", 1") + "});"), limit);
  }
  EXPECT_SAYS(failure("__device__ float z" + times(40, "[1]") + ";\n__global__ void use() { z" + times(40, "[0]") +
                      " = 1; }\nuse<<<1, 1>>>();\nz"),
              "40 extents, but an array has at most 32");
  EXPECT_SAYS(failure("x" + times(2000, "[0]")), "levels");
  EXPECT_NE(failure("x[0" + times(2000, ", 0") + "]"), "");
}

// What a block declares ends with it, whatever happens in between.
TEST_F(Limits, BlocksEndWithTheirNames) {
  EXPECT_SAYS(failure("{ int x[2] = 1;\n%reset\n}"), "inside a block");
  EXPECT_SAYS(failure("for (int i = 0; i < 3; ++i)\n%reset"), "inside a block");
  EXPECT_EQ(failure("float p[2] = 1;\n{ float q[2] = 2; swap(p, q); assert(q[0] == 1); }\nassert(p[0] == 2);"), "");
  EXPECT_NE(failure("q"), "");
  EXPECT_EQ(failure("for (int i = 0; i < 5; ++i) { int t[2] = i;\n{ int t[3] = 7;\n%free t\n}\nassert(t[1] == i); }"),
            "");
  EXPECT_NE(failure("t"), "");
  EXPECT_EQ(failure("int t[1] = 9;\n{ int t[2] = 5;\nint t[3] = 6; assert(size(t) == 3); }\nassert(t[0] == 9);"), "");
  EXPECT_NE(failure("{ int lost[2];\nnobody; }"), "");
  EXPECT_NE(failure("lost"), "");
}

// Nobody waits for 16 million numbers that were not asked for.
TEST_F(Limits, ElementsOfManyShortAxes) {
  EXPECT_LT(shown("unsigned char x" + times(22, "[2]") + ";\nx").size(), 200'000u);
}

TEST_F(Limits, Enumerators) {
  EXPECT_EQ(failure("enum { " + times(20'000, [](std::size_t i) { return fmt::format("E{}, ", i); }) + "last };"), "");
  EXPECT_EQ(failure("assert(last == 20000 && E0 == 0 && E19999 == 19999);"), "");
  EXPECT_EQ(failure("enum From { A = 5, B, C = B * 2, D };\nassert(A == 5 && B == 6 && C == 12 && D == 13);"), "");
}

TEST_F(Limits, ConstantsThatNameConstants) {
  const auto chain = [](std::size_t count, std::string_view pattern) {
    return times(count, [&](std::size_t i) { return fmt::format(fmt::runtime(pattern), i + 1, i); });
  };
  EXPECT_EQ(failure("#define M0 1\n" + chain(100, "#define M{} (M{} + 1)\n") + "assert(M100 == 101);"), "");
  EXPECT_SAYS(failure("#define N0 1\n" + chain(2000, "#define N{} (N{} + 1)\n") + "N2000"), "1000 levels");
  EXPECT_EQ(failure("constexpr int c0 = 1;\n" + chain(100, "constexpr int c{} = c{} + 1;\n") + "assert(c100 == 101);"),
            "");
  EXPECT_SAYS(failure("constexpr int d0 = 1;\n" + chain(2000, "constexpr int d{} = d{} + 1;\n") + "d2000"),
              "1000 levels");
  // Each of them as high as it may be.
  const auto sum = times(900, " + 1");
  EXPECT_SAYS(failure("#define H0 1\n" + chain(5, "#define H{} H{}" + sum + "\n") + "H5"), "1000 levels");
  // What failed is not forgotten to be a constant.
  EXPECT_SAYS(failure("N2000"), "1000 levels");
  EXPECT_EQ(failure("assert(N5 == 6);"), "");
}

TEST_F(Limits, MacrosThatCallMacros) {
  const auto chain = times(2000, [](std::size_t i) { return fmt::format("#define F{}(x) F{}(x)\n", i + 1, i); });
  EXPECT_SAYS(failure("#define F0(x) (x)\n" + chain + "F2000(1)"), "256 levels");
  const auto doubling =
      times(40, [](std::size_t i) { return fmt::format("#define D{}(x) D{}(x) + D{}(x)\n", i + 1, i, i); });
  EXPECT_SAYS(failure("#define D0(x) (x)\n" + doubling + "D40(1)"), "1048576 characters");
  EXPECT_EQ(failure("assert(D3(1) == 8 && F100(2) == 2);"), "");
}

TEST_F(Limits, LongExpressionsOfScalarsAndArrays) {
  EXPECT_EQ(failure("int s = 1" + times(900, " + 1") + ";\nassert(s == 901);"), "");
  EXPECT_EQ(failure("auto y = kept" + times(300, " + kept") + ";\nassert(y[1] == 602);"), "");
  const auto many = times(100'000, " + 1");
  for (const std::string code : {"int s = 1", "int s = kept[0]", "auto y = kept", "kept[0] = kept[1]"})
    EXPECT_SAYS(failure(code + many + ";"), "1000 levels");
}

TEST_F(Limits, StructsInStructs) {
  const auto chain =
      times(60, [](std::size_t i) { return fmt::format("struct S{} {{ S{} inner; int own; }};\n", i + 1, i); });
  EXPECT_EQ(failure("struct S0 { int x; };\n" + chain + "S3 few[2];\nS60 many[2];"), "");
  EXPECT_EQ(failure("few"), "");
  EXPECT_SAYS(failure("many"), "32 levels");
}

TEST_F(Limits, PtxThatNests) {
  // A GPU's driver compiles PTX itself, and takes minutes for some of this.
  EXPECT_EQ(failure("%device cpu"), "");
  const auto module = [](const std::string& body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n" + body + "ret;\n}\n";
  };
  const auto load = [&](const std::string& body) { return failure("%%ptx deep\n" + module(body)); };
  EXPECT_SAYS(load(times(100'000, "{\n") + times(100'000, "}\n")), "256");
  EXPECT_NE(load(".reg .b32 %r<8>; mov.b64 " + times(100'000, "{") + "%r1" + times(100'000, "}") + ", 0;\n"), "");
  EXPECT_NE(load(".reg .b32 %r<8>; add.u32 %r1, " + times(100'000, "-") + "1, " + times(100'000, "(") + "1;\n"), "");
  failure("%%ptx deep\n.version 8.0\n.target sm_80\n.address_size 64\n.global .b32 x[1] = " + times(100'000, "{") +
          "1" + times(100'000, "}") + ";\n");
  failure("%%ptx deep\n.version 8.0\n.target sm_80\n.address_size 64\n.global .b32 x" + times(100'000, "[1]") + ";\n");
}

// Functions that wait for the block are put into their callers, whatever the length of the chain of calls.
TEST_F(Limits, PtxWhoseFunctionsCallEachOther) {
  const auto chain = [](std::size_t count) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.func f0() { bar.sync 0; ret; }\n" +
           times(count, [](std::size_t i) { return fmt::format(".func f{}() {{ call.uni f{}; ret; }}\n", i + 1, i); }) +
           fmt::format(".visible .entry k() {{ call.uni f{}; ret; }}\n", count);
  };
  EXPECT_EQ(failure("%%ptx chain\n" + chain(20)), "");
  EXPECT_EQ(failure("k<<<1, 64>>>();"), "");
}

// What only the compiler's process can choke on ends as its error.
TEST_F(Limits, DeviceCodeThatTheCompilerGivesUpOn) {
  EXPECT_SAYS(failure("__global__ void k(float" + times(10'000, "*") + " p) {}\nk<<<1, 1>>>(1.0f);"), "256 levels");
  EXPECT_NE(failure("template <int n> struct T { static constexpr int v = T<n - 1>::v; };\n"
                    "__global__ void k(int* p) { *p = T<1000000>::v; }"),
            "");
}

}  // namespace
}  // namespace xcuda::test
