// Expressions over whole arrays, with kernels of the session's own that the test stands in for.
#include "interpreter/composed/composition.hpp"
#include "language/functions.hpp"
#include "rig.hpp"

namespace xcuda::interpreter {
namespace {

template <class T> T* elements(const device::FakeLaunch& launch, std::size_t parameter) {
  return reinterpret_cast<T*>(launch.argument<device::Address>(parameter));
}

class Arrays : public Interpreted {
 protected:
  // out = a + b, of whatever is written of two arrays of float.
  void add_elements() {
    operation("xcuda_expression", {{"float*", "out"}, {"const float*", "a"}, {"const float*", "b"}, {"unsigned", "n"}},
              [this](device::FakeLaunch& launch) {
                ++launches_;
                for (unsigned i = 0; i < launch.argument<unsigned>(3); ++i)
                  elements<float>(launch, 0)[i] = elements<float>(launch, 1)[i] + elements<float>(launch, 2)[i];
              });
  }
  // A reduction of one array of float to its sum.
  void add_up() {
    type({.type = "xcuda::ReduceShape", .size = 32, .alignment = 8});
    operation("xcuda_reduce",
              {{"double*", "out"}, {"double*", "part"}, {"const float*", "x"}, {"xcuda::ReduceShape", "shape"}},
              [](device::FakeLaunch& launch) {
                struct Shape {
                  std::uint64_t outer, extent, inner, chunks;
                };
                const auto extent = launch.argument<Shape>(3).extent;
                double sum = 0;
                for (std::uint64_t i = 0; i < extent; ++i) sum += elements<float>(launch, 2)[i];
                *elements<double>(launch, 0) = sum;
              });
    operation("xcuda_size", {{"unsigned char (*) [8]", "state"}}, [](device::FakeLaunch&) {});
  }
  int launches_ = 0;
};

TEST_F(Arrays, OperatorsRunWhenTheirElementsAreWanted) {
  add_elements();
  shown("float x[4] = {1, 2, 3, 4}; float y[4] = 10;");
  EXPECT_EQ(shown("auto z = x + y; z[3]"), "14.0\n");
  EXPECT_EQ(launches_, 1);
  EXPECT_EQ(shown("x = x + y; x[0]"), "11.0\n");
  EXPECT_EQ(shown("z += y; z[3]"), "24.0\n");
  EXPECT_EQ(shown("float w[4] = x + y; w[1]"), "22.0\n");
  EXPECT_EQ(launches_, 4);
}

TEST_F(Arrays, ShapesHaveToMatch) {
  shown("float x[4]; float y[3];");
  const auto ran = run("x + y");
  EXPECT_EQ(ran.error, "ValueError: the shapes do not match: x is [4], y is [3]");
  EXPECT_EQ(ran.at, "x + y");
  EXPECT_EQ(run("float z[3] = x;").error, "ValueError: x has the shape [4], but z is declared [3]");
  EXPECT_EQ(run("y = x;").error, "ValueError: x has the shape [4], but y has the shape [3]");
}

TEST_F(Arrays, ReductionsGiveNumbers) {
  add_up();
  shown("float x[4] = {1, 2, 3, 4};");
  EXPECT_EQ(shown("sum(x) / 4"), "2.5\n");
  EXPECT_EQ(shown("double total = 0; for (int i = 0; i < 3; ++i) total += sum(x); total"), "30.0\n");
  EXPECT_EQ(run("sum(x, axis = 1)").error, "ValueError: axis is 1, and x has 1 axis: 0");
  EXPECT_EQ(run("sum(3)").error, "TypeError: sum() expects an array, but 3 is not one");
  EXPECT_EQ(run("sum(x, axes = 0)").error, "NameError: sum has no parameter axes");
}

TEST_F(Arrays, ViewsShareMemory) {
  shown("int m[2][3] = {{1, 2, 3}, {4, 5, 6}};");
  EXPECT_EQ(shown("transpose(m)[2][1]"), "6\n");
  EXPECT_EQ(shown("reshape(m, 3, 2)[1][1]"), "4\n");
  EXPECT_EQ(shown("reverse(m)[0][0]"), "4\n");
  EXPECT_EQ(shown("std::size(m)"), "2\n");
  EXPECT_EQ(run("reshape(m, 4)").error, "ValueError: m has 6 elements, but [4] has 4");
}

TEST_F(Arrays, ViewsOfOtherShapes) {
  shown("int m[2][3] = {{1, 2, 3}, {4, 5, 6}}, x[3] = {1, 2, 3};");
  EXPECT_EQ(shown("flip(m)[0, 0] * 10 + flip(m, axis = 1)[0, 0]"), "63\n");
  EXPECT_EQ(shown("rot90(m)[0, 0] * 10 + rot90(m, -1)[0, 0]"), "34\n");
  EXPECT_EQ(shown("swapaxes(m, 0, 1)[2, 0] * 10 + moveaxis(m, 0, -1)[0, 1]"), "34\n");
  EXPECT_EQ(shown("squeeze(expand_dims(x, 0))[1] * 10 + diagonal(m, 1)[1]"), "26\n");
  EXPECT_EQ(shown("broadcast_to(x, 2, 3)[1, 2] * 10 + flatten(m)[3]"), "34\n");
  EXPECT_EQ(shown("reshape(m, -1)[5] * 10 + permute_dims(m, 1, 0)[2, 0]"), "63\n");
  EXPECT_EQ(run("squeeze(m, 0)").error,
            "ValueError: axis 0 has an extent of 2: only an axis of extent 1 can be removed");
  EXPECT_EQ(run("broadcast_to(x, 2)").error, "ValueError: the shape [3] cannot be broadcast to [2]");
  EXPECT_EQ(run("flip(m, axis = 2)").error, "ValueError: axis is 2, but there are 2 axes");
  EXPECT_EQ(run("reshape(m, -1, -1)").error, "ValueError: an extent of reshape() is -1");
}

TEST(ComposedFunctions, HaveAnEvaluator) {
  for (const auto* row : language::all_functions())
    EXPECT_TRUE(!language::is_composed(row->operation) || has_evaluator(row->operation)) << row->name;
}

TEST_F(Arrays, SeveralResults) {
  shown("int x[4] = {1, 2, 3, 4};");
  EXPECT_EQ(shown("auto [a, b] = split(x, 2); a[1] * 10 + b[0]"), "23\n");
  EXPECT_EQ(run("auto [c, d] = reverse(x);").error, "ValueError: reverse(x) gives one result, but 2 names were given");
  EXPECT_EQ(run("auto [c, d, e] = split(x, 2);").error,
            "ValueError: split(x, 2) gives 2 results, but 3 names were given");
  EXPECT_EQ(shown("auto [f, g, h] = split(x, {1, 3}); f.size * 100 + g.size * 10 + h.size"), "121\n");
  EXPECT_EQ(shown("g[1] * 10 + h[0]"), "34\n");
  EXPECT_EQ(run("auto [k, l] = split(x, {5});").error, "ValueError: the place 5 is not between 0 and the extent of 4");
  EXPECT_EQ(run("split(x, {2})").error, "TypeError: the pieces may differ in size: one name cannot hold them");
}

TEST_F(Arrays, AreNoNumbers) {
  shown("float x[4];");
  EXPECT_EQ(run("int n = x;").error, "TypeError: expected a number for the initial value of n, got an array of float");
  EXPECT_EQ(run("x[x]").error, "TypeError: a subscript is float, not an integer");
  EXPECT_EQ(run("if (x > 0) printf(\"x\");").error, "TypeError: expected a number for a condition, got an array");
}

}  // namespace
}  // namespace xcuda::interpreter
