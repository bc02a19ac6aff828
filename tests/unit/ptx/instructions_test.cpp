#include "ptx/instructions.hpp"

#include <gtest/gtest.h>

#include <set>

namespace xcuda::ptx {
namespace {

TEST(Instructions, HaveOneRowEach) {
  std::set<std::string_view> texts;
  for (const InstructionRow& row : instruction_rows()) EXPECT_TRUE(texts.insert(row.text).second) << row.text;
  EXPECT_EQ(text_of(Opcode::unknown), "");
  for (std::size_t i = 1; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_EQ(find_opcode(text_of(opcode)), opcode);
  }
  EXPECT_FALSE(find_opcode("frobnicate"));
}

TEST(Instructions, RowsAgreeWithThemselves) {
  for (const InstructionRow& row : instruction_rows()) {
    SCOPED_TRACE(row.text);
    EXPECT_LE(row.least, row.most);
    EXPECT_LE(row.outputs, row.most);
    // What writes nothing has no result to know something of; barriers do with .red, calls by their lists.
    EXPECT_TRUE(row.outputs > 0 || row.meaning == Meaning::elementwise || row.is(Trait::barrier | Trait::calls));
    EXPECT_EQ(row.is(Trait::accesses),
              row.family == Family::load || row.family == Family::store || row.family == Family::atomic);
    EXPECT_EQ(row.is(Trait::image | Trait::surface), row.family == Family::texture);
    EXPECT_EQ(row.is(Trait::branches | Trait::leaves), row.family == Family::control);
    EXPECT_TRUE(!row.is(Trait::names_lanes) || row.is(Trait::joint));
    EXPECT_TRUE(row.family != Family::none || row.most == InstructionRow::kAny);
  }
}

TEST(ModifierSets, HoldTheirMembers) {
  constexpr ModifierSet set = {Modifier::global, Modifier::bulk_group};
  static_assert(set.contains(Modifier::bulk_group) && !set.contains(Modifier::shared));
  EXPECT_TRUE(ModifierSet::all().contains(Modifier::ftz));
  EXPECT_FALSE(ModifierSet().contains(Modifier::ftz));
  EXPECT_TRUE(row_of(Opcode::add).words.contains(Modifier::rn));
  EXPECT_FALSE(row_of(Opcode::add).words.contains(Modifier::approx));
}

}  // namespace
}  // namespace xcuda::ptx
