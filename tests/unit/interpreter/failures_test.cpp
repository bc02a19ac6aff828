// What a cell that fails leaves: all that it did before, and nothing of what failed.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

using Failures = Interpreted;

// Only running it shows that the third statement fails.
constexpr std::string_view kFailing = "int done = 1;\nint x[2] = {1, 2};\nx[0] = 3 / (done - 1);\nint never = 1;";

TEST_F(Failures, WhatRanBeforeIsKept) {
  const auto ran = run(std::string(kFailing));
  EXPECT_EQ(ran.error, "ValueError: division by zero (int)");
  EXPECT_EQ(ran.at, "3 / (done - 1)");
  EXPECT_EQ(shown("done + x[1]"), "3\n");
  EXPECT_EQ(run("never").error, "NameError: never is not defined");
}

TEST_F(Failures, AFailedAssignmentChangesNothing) {
  shown("int n = 3; int x[2] = {1, 2}; int zero = 0;");
  EXPECT_NE(run("n = 1 / zero;").error, "");
  EXPECT_NE(run("x[0] = 1 / zero;").error, "");
  EXPECT_NE(run("int n = 1 / zero;").error, "");
  EXPECT_EQ(shown("n * 10 + x[0]"), "31\n");
}

TEST_F(Failures, ACompileThatFailsLeavesTheOldDefinitions) {
  kernel("first", {{"int*", "x"}},
         [](device::FakeLaunch& launch) { *reinterpret_cast<int*>(launch.argument<device::Address>(0)) = 1; });
  shown("__global__ void first(int* x) { *x = 1; }\nint x[1];");
  const auto failed = run("__global__ void second(int* x) { }\nx[0] = 5;");
  EXPECT_EQ(failed.error.substr(0, 12), "CompileError");
  EXPECT_EQ(shown("x[0]"), "0\n");
  EXPECT_EQ(shown("first<<<1, 1>>>(x); x[0]"), "1\n");
  EXPECT_EQ(run("second<<<1, 1>>>(x);").error, "NameError: the kernel second is not defined");
}

TEST_F(Failures, TextThatDoesNotParseRunsNothing) {
  EXPECT_EQ(run("int n = 3;\nint m = ;").error.substr(0, 11), "SyntaxError");
  EXPECT_EQ(run("n").error, "NameError: n is not defined");
}

TEST_F(Failures, WhatWasLaunchedBeforeStillRuns) {
  kernel("set", {{"int*", "x"}},
         [](device::FakeLaunch& launch) { *reinterpret_cast<int*>(launch.argument<device::Address>(0)) = 7; });
  shown("__global__ void set(int* x) { *x = 7; }\nint x[1]; int zero = 0;");
  EXPECT_EQ(run("set<<<1, 1>>>(x); 1 / zero;").error, "ValueError: division by zero (int)");
  EXPECT_EQ(shown("x[0]"), "7\n");
}

TEST_F(Failures, ADeviceThatCannotStartIsTriedAgainByTheNextCell) {
  before_verbs([](std::string_view verb) {
    if (verb == "info") throw Error(ErrorKind::device, "cannot create a context on the GPU");
  });
  EXPECT_EQ(run("int x[2] = 1;").error, "DeviceError: cannot create a context on the GPU");
  before_verbs({});  // of devices that start from now on
  EXPECT_EQ(shown("int y[2] = 1; y[1]"), "1\n");
}

TEST_F(Failures, CellsAreCompiledOnce) {
  kernel("set", {{"int*", "x"}}, [](device::FakeLaunch&) {});
  shown("__global__ void set(int* x) { }\nint x[1];");
  const auto before = compiled.size();
  shown("for (int i = 0; i < 10; ++i) set<<<1, 1>>>(x); x[0] + 1");
  EXPECT_EQ(compiled.size(), before);
}

}  // namespace
}  // namespace xcuda::interpreter
