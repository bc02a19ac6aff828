// Small modules and their kernel after the pass `inline`: tests/golden/lower/inline_*.ptx and .txt. The first line of a
// module says what the case is about. XCUDA_APPROVE=1 writes the texts anew; look at the difference.
#include "device/cpu/lower/inlining.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "ptx/ptx_parser.hpp"
#include "tests/golden_files.hpp"
#include "tests/unit/device/cpu/lower/tree_text.hpp"

namespace xcuda::device::cpu {
namespace {

class GoldenInline : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenInline, IsAsApproved) {
  const std::string header = ".version 9.0 .target sm_80 .address_size 64 ";
  const ptx::Module module = with_barriers_inlined(ptx::parse(header + test::read_file(GetParam()), "the case"));
  test::expect_approved(GetParam(), ".txt", text_of(module, "kernel"));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenInline,
                         testing::ValuesIn(test::golden_inputs("tests/golden/lower", ".ptx", "inline_")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace xcuda::device::cpu
