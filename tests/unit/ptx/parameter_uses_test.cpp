#include "ptx/parameter_uses.hpp"

#include <gtest/gtest.h>

#include "ptx/ptx_parser.hpp"

namespace xcuda::ptx {
namespace {

// Of an entry with the parameters x, y (pointers) and n, and this body.
ParameterUses uses(const std::string& body) {
  const auto module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 table[64];\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func g(.param .b64 a) { ret; }\n"
      ".visible .entry f(.param .u64 x, .param .u64 y, .param .u32 n) {\n"
      ".reg .b64 %rd<16>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .pred %p<4>;\n"
      ".shared .align 4 .b8 tile[128];\n"
      "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n];\n"
      "cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n" +
          body + "\nret;\n}\n",
      "test");
  return parameter_uses(module, *module.find_function("f"));
}

constexpr ParameterUse kNone{}, kReads{true, false}, kWrites{false, true}, kBoth{true, true};

TEST(ParameterUses, ReadsAndWritesAreToldApart) {
  const auto copy = uses(
      "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;\n"
      "ld.global.f32 %f1, [%rd6]; st.global.f32 [%rd7+4], %f1;");
  EXPECT_EQ(copy.parameters[0], kReads);
  EXPECT_EQ(copy.parameters[1], kWrites);
  EXPECT_FALSE(copy.elsewhere);
}

TEST(ParameterUses, InPlaceIsBoth) {
  EXPECT_EQ(uses("ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd3], %f1;").parameters[0], kBoth);
  EXPECT_EQ(uses("atom.global.add.f32 %f2, [%rd3], %f1;").parameters[0], kBoth);
  EXPECT_EQ(uses("red.global.add.f32 [%rd4], %f1;").parameters[1], kBoth);
}

TEST(ParameterUses, AnAddressThatALoopMovesIsTheSameArrays) {
  const auto loop = uses(
      "mov.u64 %rd5, %rd3;\nL1:\nadd.s64 %rd5, %rd6, 4; mov.u64 %rd6, %rd5;\n"
      "ld.global.f32 %f1, [%rd6]; setp.lt.u32 %p1, %r1, 9; @%p1 bra L1;\nmov.u64 %rd6, %rd3;");
  EXPECT_EQ(loop.parameters[0], kReads);
}

TEST(ParameterUses, WhatIsNotAccessedIsNotUsed) {
  const auto none = uses("");
  EXPECT_EQ(none.parameters[0], kNone);
  EXPECT_EQ(none.parameters[1], kNone);
}

TEST(ParameterUses, SharedMemoryDoesNotCount) {
  const auto shared = uses("mov.u32 %r2, tile; st.shared.f32 [%r2], %f1; ld.shared.f32 %f1, [tile];");
  EXPECT_FALSE(shared.elsewhere);
  EXPECT_EQ(shared.parameters[0], kNone);
}

TEST(ParameterUses, OtherMemoryIsToldOf) {
  EXPECT_TRUE(uses("ld.global.u32 %r2, [table];").elsewhere);
  EXPECT_TRUE(uses("ld.global.u64 %rd5, [%rd3]; ld.global.f32 %f1, [%rd5];").elsewhere);  // a pointer that was loaded
}

TEST(ParameterUses, AFunctionMayDoAnythingButPrintfDoesNot) {
  const auto called = uses("{ .param .b64 p; st.param.b64 [p], %rd1; call.uni g, (p); }");
  EXPECT_EQ(called.parameters[1], kBoth);
  EXPECT_TRUE(called.elsewhere);
  const auto printed = uses(
      "{ .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %rd1; st.param.b64 [q], %rd1;\n"
      "call.uni (r), vprintf, (p, q); ld.param.b32 %r2, [r]; }");
  EXPECT_EQ(printed.parameters[0], kNone);
  EXPECT_FALSE(printed.elsewhere);
}

TEST(ParameterUses, ACopyToSharedMemoryOnlyReads) {
  const auto copied = uses("mov.u32 %r2, tile; cp.async.ca.shared.global [%r2], [%rd3], 16; cp.async.wait_all;");
  EXPECT_EQ(copied.parameters[0], kReads);
  EXPECT_FALSE(copied.elsewhere);
}

TEST(ParameterUses, AChosenPointerIsEither) {
  const auto chosen = uses("setp.eq.u32 %p1, %r1, 0; selp.b64 %rd5, %rd3, %rd4, %p1; st.global.f32 [%rd5], %f1;");
  EXPECT_EQ(chosen.parameters[0], kWrites);
  EXPECT_EQ(chosen.parameters[1], kWrites);
}

}  // namespace
}  // namespace xcuda::ptx
