// Registers that nothing writes: PTX leaves their value open and the code is legal, so it compiles, and they hold zero.
// The same for code that nothing reaches; a register that only one of two ways writes has some value on the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/device/cpu/opcode_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

// Stores %r7 of each thread; what is named %u... nothing writes.
std::string kernel_text(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) add_to(.param .b32 a, .param .b32 b)
{{
  .reg .b32 %a, %b, %never;
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  add.u32 %a, %a, %b;
  add.u32 %a, %a, %never;
  st.param.b32 [result], %a;
  ret;
}}
.visible .func (.param .b32 result) nothing()
{{
  ret;
}}
.visible .entry k(.param .u64 out)
{{
  .reg .pred %up<4>, %p<8>;
  .reg .b16 %uh<4>, %h<8>;
  .reg .b32 %ur<8>, %r<12>;
  .reg .b64 %ud<4>, %d<8>;
  .reg .f32 %uf<4>, %f<8>;
  .reg .f64 %ug<4>, %g<8>;
  .shared .align 4 .b32 room[1024];
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %tid.y;
  mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r0, %r1, %r2, %r0;
  mad.wide.u32 %d0, %r0, 4, %d0;
  mov.u32 %r7, 77;
  {}
  st.global.u32 [%d0], %r7;
  ret;
}}
)",
                     body);
}

struct Case {
  std::string name, body;
  std::function<std::uint32_t(std::uint32_t)> expected;  // of the thread's number; none: any value
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::function<std::uint32_t(std::uint32_t)> always(std::uint32_t value) {
  return [value](std::uint32_t) { return value; };
}
std::uint32_t own(std::uint32_t i) { return i; }

const Case kCases[] = {
    // --- each type
    {"b32", "mov.b32 %r7, %ur0;", always(0)},
    {"b16", "cvt.u32.u16 %r7, %uh0;", always(0)},
    {"b64", "cvt.u32.u64 %r7, %ud0;", always(0)},
    {"f32", "mov.b32 %r7, %uf0;", always(0)},
    {"f64", "cvt.rni.s32.f64 %r7, %ug0;", always(0)},
    {"pred", "selp.u32 %r7, 5, 6, %up0;", always(6)},
    // --- with what lanes differ in
    {"sum", "add.u32 %r7, %ur0, %r0;", own},
    {"difference", "sub.u32 %r7, %r0, %ur0;", own},
    {"product", "mul.lo.u32 %r7, %r0, %ur0;", always(0)},
    {"mad", "mad.lo.u32 %r7, %ur0, %ur1, %r0;", own},
    {"mad_wide", "mad.wide.u32 %d1, %r0, 1, %ud0; cvt.u32.u64 %r7, %d1;", own},
    {"wide_of_nothing", "mul.wide.u32 %d1, %ur0, 4; cvt.u32.u64 %r7, %d1;", always(0)},
    {"shift", "shl.b32 %r7, %r0, %ur0;", own},
    {"shifted", "shl.b32 %r7, %ur0, 3;", always(0)},
    {"and", "and.b32 %r7, %r0, %ur0;", always(0)},
    {"or", "or.b32 %r7, %r0, %ur0;", own},
    {"xor", "xor.b32 %r7, %r0, %ur0;", own},
    {"negative", "neg.s32 %r7, %ur0;", always(0)},
    {"not", "not.b32 %r7, %ur0;", always(~0u)},
    {"min", "min.u32 %r7, %r0, %ur0;", always(0)},
    {"widened", "cvt.u64.u32 %d1, %ur0; add.u64 %d1, %d1, %ud0; cvt.u32.u64 %r7, %d1;", always(0)},
    {"chain", "add.u32 %r3, %ur0, %r0; shl.b32 %r4, %r3, 2; sub.u32 %r5, %r4, %r0; add.u32 %r7, %r5, %ur1;",
     [](std::uint32_t i) { return 3 * i; }},
    {"address_of_it", "mad.wide.u32 %d1, %ur0, 4, %d0; st.global.u32 [%d1], %r0; ld.global.u32 %r7, [%d1];", own},
    {"float_sum", "cvt.rn.f32.u32 %f0, %r0; add.f32 %f0, %f0, %uf0; cvt.rzi.u32.f32 %r7, %f0;", own},
    {"double_fma", "cvt.rn.f64.u32 %g0, %r0; fma.rn.f64 %g0, %g0, %ug0, %g0; cvt.rzi.u32.f64 %r7, %g0;", own},
    {"bits_as_a_float", "add.f32 %f0, %r0, %uf0; mov.b32 %r7, %f0;", own},
    {"bits_as_a_double", "cvt.u64.u32 %d1, %r0; add.f64 %g0, %d1, %ug0; mov.b64 %d2, %g0; cvt.u32.u64 %r7, %d2;", own},
    {"half", "cvt.u16.u32 %h0, %r0; add.u16 %h0, %h0, %uh0; cvt.u32.u16 %r7, %h0;", own},
    // --- predicates
    {"branch", "@%up0 bra OVER; mov.u32 %r7, 3; OVER:", always(3)},
    {"branch_unless", "@!%up0 bra OVER; mov.u32 %r7, 3; OVER:", always(77)},
    {"guard", "@%up0 mov.u32 %r7, 3;", always(77)},
    {"guard_unless", "@!%up0 mov.u32 %r7, %r0;", own},
    {"guarded_write_alone", "@%up0 mov.u32 %ur7, 3; mov.u32 %r7, %ur7;", always(0)},
    {"guarded_store", "@!%up0 st.shared.u32 [room], %ur0; ld.shared.u32 %r7, [room];", always(0)},
    {"combined", "setp.lt.and.u32 %p0, %r0, 5, %up0; selp.u32 %r7, 1, 2, %p0;", always(2)},
    {"combined_or", "setp.lt.or.u32 %p0, %r0, 5, %up0; selp.u32 %r7, 1, 2, %p0;",
     [](std::uint32_t i) { return i < 5 ? 1u : 2u; }},
    {"compared", "setp.lt.u32 %p0, %ur0, %r0; selp.u32 %r7, 1, 2, %p0;",
     [](std::uint32_t i) { return i > 0 ? 1u : 2u; }},
    {"selected", "setp.lt.u32 %p0, %r0, 5; selp.u32 %r7, %r0, %ur0, %p0;",
     [](std::uint32_t i) { return i < 5 ? i : 0; }},
    // --- one way of two
    {"one_way_uniform", "setp.eq.u32 %p0, %r2, 9999; @%p0 bra OVER; mov.u32 %r8, %r0; OVER: mov.u32 %r7, %r8;", own},
    {"other_way_uniform", "setp.ne.u32 %p0, %r2, 9999; @%p0 bra OVER; mov.u32 %r8, %r0; OVER: mov.u32 %r7, %r8;", {}},
    {"one_way_of_lanes", "setp.gt.u32 %p0, %r0, 5; @%p0 bra OVER; add.u32 %r8, %r0, 1; OVER: mov.u32 %r7, %r8;",
     [](std::uint32_t i) { return i > 5 ? 0 : i + 1; }},
    {"one_way_then_sum",
     "setp.gt.u32 %p0, %r0, 5; @%p0 bra OVER; mov.u32 %r8, %r0; OVER: add.u32 %r7, %r8, %ur0; add.u32 %r7, %r7, %r0;",
     [](std::uint32_t i) { return i > 5 ? i : 2 * i; }},
    // --- nothing reaches it
    {"behind_a_jump", "mov.u32 %r7, %r0; bra OVER; add.u32 %ur7, %ur6, %r0; add.u32 %r7, %ur7, 1; OVER:", own},
    {"label_nobody_jumps_to", "mov.u32 %r7, %r0; bra OVER; NOBODY: add.u32 %r7, %ur7, %r0; bra OVER; OVER:", own},
    {"loop_nobody_enters", "mov.u32 %r7, %r0; bra OVER; AGAIN: add.u32 %ur7, %ur7, %r0; bra AGAIN; OVER:", own},
    {"written_where_nobody_is", "mov.u32 %r7, %r0; bra OVER; mov.u32 %r8, %r0; OVER: add.u32 %r7, %r7, %r8;", own},
    // --- loops
    {"counts_up_what_nobody_set",
     "mov.u32 %r3, 0; AGAIN: add.u32 %r8, %r8, 2; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; @%p0 bra AGAIN; "
     "mov.u32 %r7, %r8;",
     always(20)},
    {"sums_up_by_lane",
     "mov.u32 %r3, 0; AGAIN: add.u32 %r8, %r8, %r0; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; @%p0 bra AGAIN; "
     "mov.u32 %r7, %r8;",
     [](std::uint32_t i) { return 10 * i; }},
    {"two_in_a_circle",
     "mov.u32 %r3, 0; AGAIN: mov.u32 %r8, %r9; mov.u32 %r9, %r8; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; "
     "@%p0 bra AGAIN; add.u32 %r7, %r9, %r0;",
     own},
    {"as_often_as_the_lane_says",
     "AGAIN: setp.ge.u32 %p0, %r8, %r0; @%p0 bra DONE; add.u32 %r8, %r8, 1; bra AGAIN; DONE: mov.u32 %r7, %r8;", own},
    // --- barriers and lanes
    {"across_a_barrier", "add.u32 %r8, %ur0, %r0; bar.sync 0; add.u32 %r7, %r8, %ur1;", own},
    {"unwritten_across_a_barrier", "bar.sync 0; mov.u32 %r7, %r8; bar.sync 0; mov.u32 %r8, 5;", always(0)},
    {"one_way_across_a_barrier",
     "setp.gt.u32 %p0, %r0, 5; @%p0 bra OVER; mov.u32 %r8, 3; OVER: bar.sync 0; mov.u32 %r7, %r8;",
     [](std::uint32_t i) { return i > 5 ? 0u : 3u; }},
    {"vote", "vote.sync.any.pred %p0, %up0, 0xffffffff; selp.u32 %r7, 1, 2, %p0;", always(2)},
    {"barrier_vote", "barrier.red.popc.u32 %r7, 0, %up0;", always(0)},
    {"shuffle", "shfl.sync.idx.b32 %r7, %ur0, 0, 31, 0xffffffff;", always(0)},
    {"atomic", "atom.shared.add.u32 %r3, [room], %ur0; mov.u32 %r7, %r3;", always(0)},
    // --- calls, vectors, memory
    {"argument",
     "{ .param .b32 a; st.param.b32 [a], %ur0; .param .b32 b; st.param.b32 [b], %r0; .param .b32 r; "
     "call.uni (r), add_to, (a, b); ld.param.b32 %r7, [r]; }",
     own},
    {"packed", "mov.b64 %d1, {%r0, %ur0}; cvt.u32.u64 %r7, %d1;", own},
    {"unpacked", "mov.b64 {%r7, %r8}, %ud0;", always(0)},
    {"unpacked_half", "mov.b64 {_, %r7}, %ud0;", always(0)},
    {"vector_store", "st.shared.v4.u32 [room], {%ur0, %ur1, %ur2, %ur3}; ld.shared.u32 %r7, [room + 8];", always(0)},
    {"shared_address", "st.shared.u32 [%ur0], %r2; ld.shared.u32 %r8, [%ur0]; sub.u32 %r7, %r8, %r2;", always(0)},
    {"funnel", "shf.l.wrap.b32 %r7, %ur0, %ur1, %r0;", always(0)},
    {"permute", "prmt.b32 %r7, %ur0, %r0, %ur1;", always(0)},
    {"logic", "lop3.b32 %r7, %ur0, %r0, %ur1, 0xfc;", own},
    {"divided", "div.u32 %r7, %ur0, %r2;", always(0)},
};

class Unwritten : public testing::TestWithParam<Case> {};

TEST_P(Unwritten, IsZeroInEveryShapeOfBlock) {
  KernelHarness harness(kernel_text(GetParam().body), shared_translator());
  for (const Dim3 block : {Dim3{32}, Dim3{64}, Dim3{48}, Dim3{1}, Dim3{32, 2}, Dim3{16, 4}, Dim3{7, 5}}) {
    const bool whole_warps = block.count() % 32 == 0;
    if (GetParam().body.find("0xffffffff") != std::string::npos && !whole_warps) continue;
    for (const bool bounds : {true, false}) {
      std::vector<std::uint32_t> out(block.count(), 12345);
      harness.forget();
      harness.name(out);
      Checks checks;
      checks.bounds = bounds;
      ASSERT_EQ(harness.run({"k", {1}, block, 0, checks}, Arguments().add(out.data())), Outcome::finished);
      for (std::uint32_t i = 0; GetParam().expected && i < out.size(); ++i)
        ASSERT_EQ(out[i], GetParam().expected(i)) << "thread " << i << " of " << out.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Unwritten, testing::ValuesIn(kCases), [](const auto& test) { return test.param.name; });

// An address that nothing wrote is a wild one, which bounds checks find.
TEST(UnwrittenAddress, IsOutOfBounds) {
  for (const char* body : {"ld.global.u32 %r7, [%ud0];", "st.global.u32 [%ud0 + 4], %r0;",
                           "atom.global.add.u32 %r7, [%ud0], 1;", "ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%ud0];"}) {
    KernelHarness harness(kernel_text(body), shared_translator());
    std::vector<std::uint32_t> out(32, 12345);
    harness.name(out);
    EXPECT_EQ(harness.run({"k", {1}, {32}, 0, {}}, Arguments().add(out.data())), Outcome::left) << body;
    ASSERT_FALSE(harness.records.empty()) << body;
    EXPECT_EQ(harness.records.back().service, Service::check_access) << body;
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
