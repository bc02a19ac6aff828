#include "device/cpu/lower/desugar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/places.hpp"

namespace xcuda::device::cpu {
namespace {

TEST(Desugar, LeavesAloneWhatItDoesNotKnow) {
  for (const char* file : {"04_reduce_shared", "18_bitonic", "30_barrier_async"}) {
    std::ifstream stream(test::source_file("tests/kernels/ptx/") + file + ".ptx");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(desugared(text), text) << file;
  }
  for (const char* text :
       {"", "bar.sync", "// bar.sync 1, 64;", "bar.red.popc.u32 %r1, 1, %p1;", "barrier.cluster.arrive;",
        "brx.idx %r1, nothing;", "mbarrier.arrive.shared.b64 %rd1, [%r1];", "bar.warp.sync %r1;", "bar.sync 1, 64"})
    EXPECT_EQ(desugared(text), text);
}

TEST(Desugar, WritesATableAsComparisons) {
  const std::string text =
      "{\nother: .branchtargets X;\nts: .branchtargets A, B;\n@!%p1 brx.idx %r1, ts;\nA: ret;\nB: ret;\n}";
  EXPECT_EQ(desugared(text),
            "{\nother: .branchtargets X;\nts: .branchtargets A, B;\n @%p1 bra $xcuda_over_1; { .reg .pred %xcuda_t; "
            "setp.eq.u32 %xcuda_t, %r1, 0; @%xcuda_t bra A; bra B; } $xcuda_over_1: \nA: ret;\nB: ret;\n}");
}

TEST(Desugar, KeepsTheLines) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\nbar.sync 1, 64;\nbar.arrive 2,\n64;\nret;\n}\n";
  const std::string written = desugared(text);
  EXPECT_NE(written.find(".shared .align 8 .b8 xcuda_barriers[384];\n.entry"), std::string::npos) << written;
  EXPECT_NE(written.find("\nret;\n}"), std::string::npos);
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n') + 1, std::count(text.begin(), text.end(), '\n'))
      << "one statement was two lines long";
}

}  // namespace
}  // namespace xcuda::device::cpu
