// Small kernels after the pass `fold`: tests/golden/lower/fold_*.ptx and .txt. The first line of a module says what the
// case is about. XCUDA_APPROVE=1 writes the texts anew; look at the difference. And random ones, which leave the same
// in all registers as before.
#include "device/cpu/lower/folding.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "ptx/ptx_parser.hpp"
#include "tests/golden_files.hpp"
#include "tests/unit/device/cpu/lower/tree_text.hpp"
#include "tests/unit/device/cpu/lower/whole_numbers.hpp"

namespace xcuda::device::cpu {
namespace {

class GoldenFold : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenFold, IsAsApproved) {
  const std::string header = ".version 9.0 .target sm_80 .address_size 64 ";
  const ptx::Module module = with_indices_folded(ptx::parse(header + test::read_file(GetParam()), "the case"));
  test::expect_approved(GetParam(), ".txt", text_of(module, "kernel"));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFold, testing::ValuesIn(test::golden_inputs("tests/golden/lower", ".ptx", "fold_")),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(Fold, LeavesTheSameInAllRegisters) {
  int folded = 0;
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    IndexProgram program(seed);
    const std::string text = program.text();
    const ptx::Module before = ptx::parse(text, "In[1]"), after = with_indices_folded(before);
    folded += text_of(after, "kernel") != text_of(before, "kernel");
    const ptx::Function& original = before.functions[0];
    for (int round = 0; round < 8; ++round) {
      std::vector<std::uint64_t> registers;
      for (const ptx::Type type : original.registers)
        registers.push_back(ptx::bits_of(type) == 64   ? program.number()
                            : ptx::bits_of(type) == 32 ? program.number() & 0xffff'ffff
                                                       : 0);
      const auto expected = WholeNumbers(original, registers).run();
      auto found = WholeNumbers(after.functions[0], registers).run();
      found.resize(expected.size());
      ASSERT_EQ(found, expected) << seed << "\n" << text << "is now\n" << text_of(after, "kernel");
    }
  }
  EXPECT_GT(folded, 500);
}

}  // namespace
}  // namespace xcuda::device::cpu
