// Launches: what reaches the kernel, and what is refused before it does.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

template <class T> T* at(device::Address address) { return reinterpret_cast<T*>(address); }

class Launches : public Interpreted {
 protected:
  Launches() {
    kernel("scale", {{"float*", "x"}, {"float", "a"}, {"int", "n"}}, [this](device::FakeLaunch& launch) {
      launched_.push_back(launch.request);
      auto* x = at<float>(launch.argument<device::Address>(0));
      for (int i = 0; i < launch.argument<int>(2); ++i) x[i] *= launch.argument<float>(1);
    });
    kernel("add", {{"const float*", "x"}, {"float*", "y"}}, [this](device::FakeLaunch& launch) {
      launched_.push_back(launch.request);
      *at<float>(launch.argument<device::Address>(1)) += *at<float>(launch.argument<device::Address>(0));
    });
  }
  void define() {
    shown(
        "__global__ void scale(float* x, float a, int n) { }\n"
        "__global__ void add(const float* x, float* y) { }\n"
        "float x[4] = {1, 2, 3, 4};");
  }
  std::vector<device::LaunchRequest> launched_;
};

TEST_F(Launches, ReachTheirKernel) {
  define();
  EXPECT_EQ(shown("scale<<<2, 64>>>(x, 2.5, 4); x[3]"), "10.0\n");
  ASSERT_EQ(launched_.size(), 1u);
  EXPECT_EQ(launched_[0].grid, (device::Dim3{2, 1, 1}));
  EXPECT_EQ(launched_[0].block, (device::Dim3{64, 1, 1}));
  EXPECT_EQ(launched_[0].dynamic_shared, 0u);
}

TEST_F(Launches, TakeShapesInAllForms) {
  define();
  shown("dim3 g(2, 3); int t = 32; scale<<<g, {t, 2}>>>(x, 1, 4); scale<<<dim3(4), dim3{8, 4, 2}, 128>>>(x, 1, 4);");
  ASSERT_EQ(launched_.size(), 2u);
  EXPECT_EQ(launched_[0].grid, (device::Dim3{2, 3, 1}));
  EXPECT_EQ(launched_[0].block, (device::Dim3{32, 2, 1}));
  EXPECT_EQ(launched_[1].block, (device::Dim3{8, 4, 2}));
  EXPECT_EQ(launched_[1].dynamic_shared, 128u);
}

TEST_F(Launches, CoverAsManyAsTheyAreAsked) {
  define();
  shown("scale<<<cover(1000), 64>>>(x, 1, 4);");
  ASSERT_EQ(launched_.size(), 1u);
  EXPECT_EQ(launched_[0].grid, (device::Dim3{16, 1, 1}));
  shown("scale<<<cover(100, 50), {32, 8}>>>(x, 1, 4);");
  EXPECT_EQ(launched_[1].grid, (device::Dim3{4, 7, 1}));
  EXPECT_EQ(run("scale<<<cover(0), 64>>>(x, 1, 4);").error, "ValueError: an extent of cover is 0");
}

TEST_F(Launches, RunInTheOrderOfTheCell) {
  define();
  EXPECT_EQ(
      shown("float y[1] = {1}; for (int i = 0; i < 3; ++i) { add<<<1, 1>>>(x, y); scale<<<1, 1>>>(y, 2, 1); } y[0]"),
      "22.0\n");
}

TEST_F(Launches, ConvertTheNumbersOfTheirShape) {
  define();
  EXPECT_EQ(shown("int n = 4; scale<<<ceil(n / 256.0), 256>>>(x, 2, n); x[3]"), "8.0\n");
  EXPECT_EQ(shown("scale<<<dim3(ceil(n / 256.0f)), dim3(256.0, 1), n * sizeof(float) * 1.0>>>(x, 2, n); x[3]"),
            "16.0\n");
}

TEST_F(Launches, TakePartsOfArrays) {
  define();
  EXPECT_EQ(shown("scale<<<1, 1>>>(&x[1], 10, 2); x[0] + x[1] + x[2] + x[3]"), "55.0\n");
  EXPECT_EQ(shown("scale<<<1, 1>>>(x[2:4], 0, 2); x[2]"), "0.0\n");
  EXPECT_EQ(run("scale<<<1, 1>>>(x[0:4:2], 10, 2);").error,
            "TypeError: x[0:4:2] is not contiguous, but a kernel takes pointers");
}

TEST_F(Launches, ArgumentsAreCheckedBeforeAnythingRuns) {
  define();
  const auto few = run("scale<<<1, 1>>>(x, 2);");
  EXPECT_EQ(few.error, "TypeError: scale takes 3 arguments, but 2 are given");
  EXPECT_EQ(few.advice, "Missing: n.");
  const auto kind = run("scale<<<1, 1>>>(3, 2, 1);");
  EXPECT_EQ(kind.error, "TypeError: parameter x of scale is float*, but the argument is int (3)");
  EXPECT_EQ(kind.at, "3");
  EXPECT_EQ(run("int i[4]; scale<<<1, 1>>>(i, 2, 1);").error,
            "TypeError: parameter x of scale is float*, but the argument is the array i of int");
  EXPECT_EQ(run("scale<<<1, 1>>>(x, 2, 3000000000);").error.substr(0, 11), "ValueError:");
  EXPECT_EQ(run("const float c[4] = 1; scale<<<1, 1>>>(c, 2, 1);").error.substr(0, 10), "TypeError:");
  EXPECT_EQ(run("scale<<<1, 1>>>(x, a = 2, 1);").error,
            "TypeError: a launch takes its arguments by position, not by name (a = ...)");
  EXPECT_EQ(run("scale<<<1, 1>>>(x * 2, 2, 3);").error, "TypeError: x * 2 is an array expression, which has no memory");
  EXPECT_TRUE(launched_.empty());
}

TEST_F(Launches, ShapesAreChecked) {
  define();
  const auto large = run("scale<<<1, 2048>>>(x, 1, 4);");
  EXPECT_EQ(large.error.substr(0, large.error.find(':', 12)), "LaunchError: cannot launch scale");
  EXPECT_EQ(large.at, "<<<1, 2048>>>");
  EXPECT_NE(run("scale<<<0, 1>>>(x, 1, 4);").error.find("the grid 0 x 1 x 1 is empty"), std::string::npos);
  EXPECT_EQ(run("scale<<<{1.5, 1}, 1>>>(x, 1, 4);").error,
            "TypeError: an extent of the grid is double, and braces do not narrow it to an integer");
  EXPECT_NE(run("scale<<<0.5, 1>>>(x, 1, 4);").error.find("the grid 0 x 1 x 1 is empty"), std::string::npos);
  EXPECT_EQ(run("scale<<<1>>>(x, 1, 4);").error, "TypeError: the launch of scale has no block");
  EXPECT_EQ(run("scale<<<1, 1, -1>>>(x, 1, 4);").error,
            "ValueError: the shared memory of a launch must be a number of bytes");
  EXPECT_TRUE(launched_.empty());
}

TEST_F(Launches, UnknownKernelsSayWhatWasMeant) {
  define();
  const auto ran = run("scael<<<1, 1>>>(x, 1, 4);");
  EXPECT_EQ(ran.error, "NameError: the kernel scael is not defined");
  EXPECT_EQ(ran.advice, "Did you mean scale?");
  EXPECT_EQ(ran.at, "scael");
  EXPECT_EQ(run("scale(x, 1, 4);").error, "TypeError: scale is a kernel: it must be launched");
}

TEST_F(Launches, AFaultIsToldAtItsLine) {
  device::Fault fault;
  fault.kind = device::FaultKind::trap;
  fault_at_launch(2, fault);
  define();
  const auto ran = run("scale<<<1, 1>>>(x, 1, 4);\nscale<<<1, 2>>>(x, 1, 4);\nscale<<<1, 3>>>(x, 1, 4);");
  EXPECT_NE(ran.error, "");
  EXPECT_EQ(ran.at, "scale<<<1, 2>>>(x, 1, 4);");
}

TEST_F(Launches, AnInterruptSkipsThoseThatAreLeft) {
  kernel("stop", {}, [this](device::FakeLaunch&) { session().interrupt_flag().raise(); });
  shown("__global__ void stop() { }");
  define();
  const auto ran = run("stop<<<1, 1>>>(); scale<<<1, 1>>>(x, 1, 4);");
  EXPECT_EQ(ran.error.substr(0, 17), "KeyboardInterrupt");
  EXPECT_TRUE(launched_.empty());
  EXPECT_EQ(shown("scale<<<1, 1>>>(x, 3, 4); x[0]"), "3.0\n");
}

class Streams : public Launches {};

TEST_F(Streams, AreTheFourthPart) {
  define();
  shown("stream s; scale<<<1, 1, 0, s>>>(x, 1, 4); scale<<<1, 1, 0, 0>>>(x, 1, 4);");
  ASSERT_EQ(launched_.size(), 2u);
  EXPECT_NE(launched_[0].stream, device::StreamId{0});
  EXPECT_EQ(launched_[1].stream, device::StreamId{0});
  EXPECT_EQ(run("scale<<<1, 1, 0, 3>>>(x, 1, 4);").error, "TypeError: the fourth value of <<< >>> must be a stream");
}

TEST_F(Streams, AreJoinedByEvents) {
  define();
  EXPECT_EQ(shown("stream s; event e; record(e, s); wait(e);"), "");
  EXPECT_EQ(run("event never; wait(never);").error, "ValueError: never was never recorded");
  EXPECT_EQ(run("record(x);").error, "TypeError: x is not an event");
  EXPECT_EQ(run("record();").error, "TypeError: record() takes an event: its argument e is missing");
  EXPECT_EQ(run("elapsed(e);").error, "TypeError: elapsed() takes an event: its argument to is missing");
}

TEST_F(Streams, TimePassesBetweenEvents) {
  define();
  EXPECT_EQ(shown("event a, b; record(a); scale<<<1, 1>>>(x, 1, 4); record(b); elapsed(a, b) > 0"), "true\n");
}

TEST_F(Launches, TheDeviceIsToldOfKernelsWhenTheirCellEnds) {
  const auto prepared = [this] {
    std::vector<std::string> entries;
    for (const auto& request : dynamic_cast<device::FakeDevice&>(session().device()).prepared())
      entries.push_back(request.entry + (request.checks.bounds ? "" : " unchecked"));
    return entries;
  };
  define();
  EXPECT_EQ(prepared(), (std::vector<std::string>{"scale", "add"}));
  shown("x[0]");
  shown("scale<<<1, 1>>>(x, 2, 4);");
  EXPECT_EQ(prepared().size(), 2u);  // once
  session().settings().bounds_checks = false;
  shown("__global__ void add(const float* x, float* y) { ++*y; }");
  EXPECT_EQ(prepared(), (std::vector<std::string>{"scale", "add", "add unchecked"}));
  run("__global__ void scale(float* x, float a, int n) { ++*x; }\nassert(x[0] > 1e9);");  // fails after its kernel is
                                                                                          // defined
  EXPECT_EQ(prepared().size(), 3u);
  shown("x[0]");
  EXPECT_EQ(prepared().back(), "scale unchecked");
}

}  // namespace
}  // namespace xcuda::interpreter
