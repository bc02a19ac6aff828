#include "device/cpu/lower/desugar.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "ptx/ptx_parser.hpp"
#include "tests/places.hpp"
#include "tests/unit/device/cpu/lower/tree_text.hpp"

namespace xcuda::device::cpu {
namespace {

ptx::Module parse_body(std::string_view body) {
  return ptx::parse(
      fmt::format(".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
                  ".reg .b64 %rd<9>;\n{}\n}}\n",
                  body),
      "In[1]");
}

std::string desugared_body(std::string_view body) { return text_of(desugared(parse_body(body)), "k"); }

// What is put at the beginning of each kernel of a module with barriers that count.
constexpr std::string_view zero = R"(  mov.u32 %x, %tid.x
  mov.u32 %y, %tid.y
  or.b32 %x, %x, %y
  mov.u32 %y, %tid.z
  or.b32 %x, %x, %y
  setp.ne.u32 %p, %x, 0
  @%p bra $xcuda_zero_end
  mov.u32 %i, 0
  mov.u64 %a, xcuda_barriers
$xcuda_zero:
  st.volatile.shared.u32 [%a], 0
  add.u64 %a, %a, 4
  add.u32 %i, %i, 1
  setp.lt.u32 %p, %i, 96
  @%p bra $xcuda_zero
)";

TEST(Desugar, LeavesAloneWhatItDoesNotKnow) {
  for (const char* file : {"04_reduce_shared", "18_bitonic", "30_barrier_async"}) {
    std::ifstream stream(test::source_file("tests/kernels/ptx/") + file + ".ptx");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_FALSE(text.empty());
    const ptx::Module module = ptx::parse(text, "In[1]");
    const ptx::Module after = desugared(module);
    ASSERT_EQ(after.variables.size(), module.variables.size());
    for (const ptx::Function& function : module.functions)
      EXPECT_EQ(text_of(after, function.name), text_of(module, function.name));
  }
  for (const char* body : {"bar.sync 1;", "bar.red.popc.u32 %r1, 1, %p1;", "barrier.cluster.arrive;",
                           "mbarrier.arrive.shared.b64 %rd1, [%r1];", "bar.warp.sync %r1;", "alloca.u32 %r1, 8;"})
    EXPECT_EQ(desugared_body(body), text_of(parse_body(body), "k"));
}

TEST(Desugar, WritesATableAsComparisons) {
  EXPECT_EQ(desugared_body("other: .branchtargets A;\nts: .branchtargets A, B, C;\n@!%p1 brx.idx %r1, ts;\nA: ret;\n"
                           "B: trap;\nC: ret;"),
            "  @%p1 bra $xcuda_over_3\n"
            "  setp.eq.u32 %xcuda_27, %r1, 0\n"
            "  @%xcuda_27 bra A\n"
            "  setp.eq.u32 %xcuda_27, %r1, 1\n"
            "  @%xcuda_27 bra B\n"
            "  bra C\n"
            "A:\n$xcuda_over_3:\n  ret\n"
            "B:\n  trap\n"
            "C:\n  ret\n");
}

TEST(Desugar, WritesABarrierAsCounters) {
  EXPECT_EQ(desugared_body("@%p1 bar.arrive 2, %r1;\nret;"), std::string(zero) + R"($xcuda_zero_end:
  @!%p1 bra $xcuda_inlined_2
  mov.b32 %barrier, 2
  mov.b32 %threads, %r1
  membar.cta
  mov.u64 %a, xcuda_barriers
  mad.wide.u32 %a, %barrier, 8, %a
  sub.u32 %last, %threads, 1
  atom.release.cta.shared.add.u32 %old, [%a], 1
  setp.eq.u32 %p, %old, %last
  @%p membar.cta
  @%p st.volatile.shared.u32 [%a], 0
  @%p atom.acq_rel.cta.shared.add.u32 %ignored, [%a+4], 1
$xcuda_inlined_2:
  ret
)");
}

TEST(Desugar, WritesAVoteAtABarrier) {
  const std::string written = desugared_body("barrier.cta.red.and.aligned.pred %p2, %r1, 64, !%p1;\nret;");
  EXPECT_NE(written.find("  mov.b32 %threads, 64\n  not.pred %yes, %p1\n  membar.cta\n"), std::string::npos) << written;
  EXPECT_NE(written.find("$xcuda_wait_vote:\n"), std::string::npos) << written;
  EXPECT_NE(written.find("  mov.b32 %xcuda_27, %sum\n  setp.eq.u32 %p2, %xcuda_27, 64\n  ret\n"), std::string::npos)
      << written;
}

TEST(Desugar, WritesAStackAsAVariable) {
  EXPECT_EQ(desugared_body("stacksave.u64 %rd1;\nL: alloca.u64 %rd2, %rd3, 16;\n@%p1 stackrestore.u64 %rd1;\nret;"),
            R"(  mov.u64 %xcuda_27, xcuda_stack
  mov.u64 %rd1, %xcuda_27
L:
  mov.b64 %stack, xcuda_stack
  mov.b64 %used, %xcuda_27
  mov.b64 %bytes, %rd3
  mov.b64 %alignment, 16
  neg.s64 %mask, %alignment
  add.u64 %address, %used, %alignment
  sub.u64 %address, %address, 1
  and.b64 %address, %address, %mask
  add.u64 %top, %address, %bytes
  sub.u64 %mask, %top, %stack
  setp.gt.u64 %p, %mask, 4096
  @%p trap
  mov.b64 %rd2, %address
  mov.b64 %xcuda_27, %top
  @%p1 mov.u64 %xcuda_27, %rd1
  ret
)");
}

TEST(Desugar, KeepsTheLines) {
  const ptx::Module module = desugared(parse_body("bar.sync 1,\n64;\nret;"));
  const auto& all = module.functions[0].instructions;
  EXPECT_EQ(module.functions.size(), 1u);
  EXPECT_TRUE(std::all_of(all.begin(), all.end() - 1, [](const auto& each) { return each.line == 9; }));
  EXPECT_EQ(all.back().line, 11u);
}

}  // namespace
}  // namespace xcuda::device::cpu
