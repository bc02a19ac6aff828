// %%launch: what is reported of launches, how they are repeated, and graphs.
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

class Reports : public Interpreted {
 protected:
  Reports() {
    kernel("increment", {{"int*", "x"}}, [this](device::FakeLaunch& launch) {
      ++ran_;
      ++*reinterpret_cast<int*>(launch.argument<device::Address>(0));
    });
    options.report = LaunchOptions::Report::timed;
  }
  void define() { shown("__global__ void increment(int* x) { ++*x; }\nint x[1]; int y[1];"); }
  int ran_ = 0;
};

TEST_F(Reports, HaveARowForEachStatementAndShape) {
  define();
  shown("%%launch\nfor (int i = 0; i < 3; ++i) increment<<<1, 32>>>(x);\nincrement<<<2, 32>>>(y);");
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].launches, 3u);
  EXPECT_EQ(report.launches[0].times.size(), 3u);
  EXPECT_EQ(report.launches[0].line, 2);
  EXPECT_EQ(report.launches[1].grid, (device::Dim3{2, 1, 1}));
  ASSERT_EQ(report.launches[1].arguments.size(), 1u);
  EXPECT_EQ(report.launches[1].arguments[0].array, "y");
}

TEST_F(Reports, RepetitionsHaveTheEffectOfOneLaunch) {
  define();
  options.repeat = 3;
  options.warmup = 2;
  shown("%%launch\nincrement<<<1, 1>>>(x);");
  EXPECT_EQ(ran_, 5);
  EXPECT_EQ(shown("x[0]"), "1\n");
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].launches, 3u);
  EXPECT_EQ(report.launches[0].warmup, 2);
  EXPECT_EQ(report.launches[0].times.size(), 3u);
  EXPECT_EQ(report.launches[0].restored, std::vector<std::string>{"x"});
}

TEST_F(Reports, WithoutRestoringEachRepetitionCounts) {
  define();
  options.repeat = 3;
  options.restore = LaunchOptions::Restore::no;
  shown("%%launch\nincrement<<<1, 1>>>(x);");
  EXPECT_EQ(shown("x[0]"), "3\n");
  EXPECT_TRUE(report.launches.at(0).restored.empty());
}

TEST_F(Reports, OptionsAreForLaunchesThatNameNoneOfTheirOwn) {
  define();
  options.dynamic_shared = 256;
  shown("%%launch\nincrement<<<1, 1>>>(x);\nincrement<<<2, 1, 16>>>(x);");
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].dynamic_shared, 256u);
  EXPECT_EQ(report.launches[1].dynamic_shared, 16u);
}

TEST_F(Reports, GridsAreMadeOfWholeClusters) {
  define();
  options.cluster = device::Dim3{2, 1, 1};
  EXPECT_EQ(run("%%launch\nincrement<<<3, 1>>>(x);").error,
            "ValueError: a grid of {3, 1, 1} does not hold whole clusters of {2, 1, 1}");
  EXPECT_EQ(ran_, 0);
}

class Graphs : public Reports {};

TEST_F(Graphs, RunAsOne) {
  define();
  shown("%%launch --graph\nfor (int i = 0; i < 3; ++i) increment<<<1, 1>>>(x);");
  EXPECT_EQ(shown("x[0]"), "3\n");
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].kernel, "graph");
  EXPECT_EQ(report.launches[0].graph_nodes, 3u);
  EXPECT_EQ(report.launches[0].launches, 1u);
}

TEST_F(Graphs, AreRepeatedWithTheEffectOfOne) {
  define();
  options.repeat = 4;
  shown("%%launch --graph\nincrement<<<1, 1>>>(x);\nincrement<<<1, 1>>>(x);");
  EXPECT_EQ(ran_, 8);
  EXPECT_EQ(shown("x[0]"), "2\n");
  EXPECT_EQ(report.launches.at(0).times.size(), 4u);
}

TEST_F(Graphs, GiveNoValuesWhileTheyAreCaptured) {
  define();
  const auto ran = run("%%launch --graph\nincrement<<<1, 1>>>(x);\nif (x[0] == 0) increment<<<1, 1>>>(x);");
  EXPECT_EQ(ran.error.substr(0, 18), "NotSupportedError:");
  EXPECT_EQ(ran_, 0);
  EXPECT_EQ(shown("x[0]"), "0\n");
}

TEST_F(Graphs, ThatFailGiveNamesBack) {
  define();
  EXPECT_NE(run("%%launch --graph\nincrement<<<1, 1>>>(x);\nswap(x, y);\nx[0];").error, "");
  shown("y[0] = 7;");
  EXPECT_EQ(shown("x[0]"), "0\n");
  options.repeat = 2;
  const auto ran = run("%%launch --graph\nincrement<<<1, 1>>>(x);\nswap(x, y);");
  EXPECT_EQ(
      ran.error,
      "ValueError: x, y name other arrays after the cell than before it: a repeated graph would use the wrong ones");
}

}  // namespace
}  // namespace xcuda::interpreter
