#include "editor/own_words.hpp"

#include <gtest/gtest.h>

namespace xcuda::editor {
namespace {

// "type: declaration" of a word of the text; empty where it is not offered.
std::string known(const std::string& text, const std::string& word) {
  for (const auto& one : own_words(text, text.size() + 1, word, nullptr))
    if (one.text == word) return std::string(one.type) + ": " + one.declaration;
  return "";
}

TEST(OwnWords, KernelsAndFunctionsHaveTheirDeclarations) {
  EXPECT_EQ(known("__global__ void scale(float* x, int n) { x[n] = 1; }", "scale"),
            "kernel: __global__ void scale(float* x, int n)");
  EXPECT_EQ(known("int i;\n__device__ float\nsquare(float x) { return x * x; }", "square"),
            "function: __device__ float square(float x)");
  EXPECT_EQ(known("__global__ __launch_bounds__(256) void bounded(int* p) {}", "bounded"),
            "kernel: __global__ __launch_bounds__(256) void bounded(int* p)");
  EXPECT_EQ(known("template <class T, int N> __global__ void fill(T* p) {}", "fill"),
            "kernel: template <class T, int N> __global__ void fill(T* p)");
  EXPECT_EQ(known("%%kernel --fmad=false\n__global__ void first() {}", "first"), "kernel: __global__ void first()");
  EXPECT_EQ(known("#include <cmath>\n__global__ void second() {}", "second"), "kernel: __global__ void second()");
}

TEST(OwnWords, VariablesAndParametersHaveTheirTypes) {
  EXPECT_EQ(known("const float dew = 3;", "dew"), "variable: const float dew");
  EXPECT_EQ(known("__global__ void k(const float* input, int length) {}", "input"), "variable: const float* input");
  EXPECT_EQ(known("__global__ void k(const float* input, int length) {}", "length"), "variable: int length");
  EXPECT_EQ(known("dim3 grid(4);", "grid"), "variable: dim3 grid");
  EXPECT_EQ(known("total = total + 1; float total = 2;", "total"), "variable: float total");
  EXPECT_EQ(known("y = undeclared * 2;", "undeclared"), "variable: ");
}

TEST(OwnWords, TypesMacrosAndCalls) {
  EXPECT_EQ(known("struct Body { float mass; };", "Body"), "type: ");
  EXPECT_EQ(known("struct Body { float mass; };", "mass"), "variable: float mass");
  EXPECT_EQ(known("#define SIZE 32\nint i = SIZE;", "SIZE"), "macro: ");
  EXPECT_EQ(known("return helper(3);", "helper"), "function: ");
}

TEST(OwnWords, NothingOfCommentsStringsMembersAndTheCursor) {
  EXPECT_EQ(known("// description of things", "description"), "");
  EXPECT_EQ(known("printf(\"hello\");", "hello"), "");
  EXPECT_EQ(known("p.velocity = 1; q->velocity = 2;", "velocity"), "");
  EXPECT_TRUE(own_words("some", 4, "some", nullptr).empty());
  EXPECT_EQ(own_words("some; some", 10, "some", nullptr).size(), 1u);
  EXPECT_EQ(known("int threadIdx;", "threadIdx"), "");
}

}  // namespace
}  // namespace xcuda::editor
