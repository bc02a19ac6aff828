#include "compiler/host/wrapping_source.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace xcuda::compiler {
namespace {

// Of a body, without the function around it and the line before it; @ is the mark of arithmetic, $ that of a loop.
std::string marked(const std::string& body) {
  const std::string head = "void f() {\n", end = "\n}";
  auto text = with_wrapping_arithmetic(head + body + end);
  text = text.substr(text.find(head) + head.size());
  text.resize(text.size() - end.size());
  for (const auto& [mark, sign] : {std::pair{kWrapMark, "@"}, std::pair{kLoopMark, "$"}})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), sign);
  return text;
}

TEST(WrappingSource, ArithmeticIsMarked) {
  EXPECT_EQ(marked("k = k * k - (a + -b);"), "k = k *@* k -@- (a +@+ -b);");
  EXPECT_EQ(marked("s += v; t *= f(a * b); x[i] -= 1;"), "s +=@+= v; t *=@*= f(a *@* b); x[i] -=@-= 1;");
  EXPECT_EQ(marked("x[i * i % 64] = i++ * 3;"), "x[i *@* i % 64] = i++ *@* 3;");
  EXPECT_EQ(marked("for (int i = 2; i * i <= n; i += 2) c += 'a' - i;"),
            "$ for (int i = 2; i *@* i <= n; i += 2) c +=@+= 'a' -@- i;");
  EXPECT_EQ(marked("y = (a) * (b) + (int)(c) * sizeof(int) * n;"),
            "y = (a) *@* (b) +@+ (int)(c) *@* sizeof(int) *@* n;");
  EXPECT_EQ(marked("auto g = [&](int v) { return v * v; };"), "auto g = [&](int v) { return v *@* v; };");
}

TEST(WrappingSource, LoopsAreMarked) {
  EXPECT_EQ(marked("for (T* p = first; p; p = p->next) ;"), "$ for (T* p = first; p; p = p->next) ;");
  EXPECT_EQ(marked("if (a) while (b) --b; else for (auto x : y) f(x);"),
            "if (a) $ while (b) --b; else $ for (auto x : y) f(x);");
  EXPECT_EQ(marked("do { while (a) --a; } while (b);"), "$ do { $ while (a) --a; } while (b);");
  EXPECT_EQ(marked("do --a; while (a); while (b) --b;"), "$ do --a; while (a); $ while (b) --b;");
  EXPECT_EQ(marked("#pragma unroll 4\nfor (;;) f();"), "#pragma unroll 4\nfor (;;) f();");
  EXPECT_EQ(with_wrapping_arithmetic("void f() { for (;;) ; }"), "void f() { _Pragma(\"unroll 1\") for (;;) ; }");
}

TEST(WrappingSource, WhatIsNoArithmeticStaysAsItIs) {
  for (const std::string body :
       {"float *a, *b = x; T* p = q; const a::T* __restrict__ r = p;", "*p = -x; if (p) *p = +3; else *q = -1;",
        "p = (float*)q; r = (T**)p; s = (const T* const)p;", "y = (float) -x; z = (size_t)-1; w = (T) * p;",
        "x = a * 2.5f + 1e-3; y = 3 * 4;", "x[i * n + j] = y[i + 1][j - 1];",
        "return -x; case -1: f(-x, *p); auto g = [](T* p, U* q) {};", "S s{-1}; v = new T*[3]; g<T*>(p);"}) {
    const auto source = "typedef float T;\nvoid f() {\n" + body + "\n}";
    EXPECT_EQ(with_wrapping_arithmetic(source), source);
  }
}

TEST(WrappingSource, OnlyBodiesHaveArithmetic) {
  for (const std::string source :
       {"struct S { int a[N * 2]; T* next; static const int b = N + 1; };", "__constant__ int c[N * M];",
        "template <int N, int M = N * 2> void f(T* p, int n = N + 1);", "enum { a = N + 1 };",
        "#if N * 2 > 3\n#endif\n", "#define N 3\n#define F(x) f(-(x), *p)\n", "namespace a { const int b = N - 1; }"})
    EXPECT_EQ(with_wrapping_arithmetic(source), source);
  EXPECT_NE(with_wrapping_arithmetic("#define SQUARE(x) ((x) * (x))\n").find("(x) *xcuda_wrap()* (x)"),
            std::string::npos);
  EXPECT_NE(with_wrapping_arithmetic("struct S { int f(S o) const { return a * o.a; } };").find("a *xcuda_wrap()* o.a"),
            std::string::npos);
}

}  // namespace
}  // namespace xcuda::compiler
