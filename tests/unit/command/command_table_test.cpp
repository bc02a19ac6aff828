#include "command/command_table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "language/habits.hpp"

namespace xcuda::command {
namespace {

TEST(CommandTable, HasARowForEachName) {
  std::set<std::string_view> names;
  for (const auto& row : table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find(row.name), &row);
    EXPECT_EQ(row.run == nullptr, row.shape == Shape::notation) << row.name;
    EXPECT_FALSE(row.summary.empty() || row.summary.ends_with('.')) << row.name;
    for (const auto& option : row.options) EXPECT_TRUE(option.name.starts_with("-")) << row.name;
  }
  for (const auto& row : table()) EXPECT_EQ(language::find_habit(language::Habit::Kind::command, row.name), nullptr);
}

TEST(CommandTable, TellsTheParserWhatAMagicTakes) {
  using cell::MagicShape;
  using cell::MagicText;
  EXPECT_EQ(grammar("launch", MagicShape::line), MagicText::statements);
  EXPECT_EQ(grammar("launch", MagicShape::cell), MagicText::statements);
  EXPECT_EQ(grammar("alloc", MagicShape::cell), MagicText::declarations);
  EXPECT_EQ(grammar("kernel", MagicShape::cell), MagicText::device_code);
  EXPECT_EQ(grammar("bench", MagicShape::cell), MagicText::statements);
  // In a shape that the command has not, and for what is not a command, words: the error names the command.
  EXPECT_EQ(grammar("bench", MagicShape::line), MagicText::words);
  EXPECT_EQ(grammar("kernel", MagicShape::line), MagicText::words);
  EXPECT_EQ(grammar("arrays", MagicShape::line), MagicText::words);
  EXPECT_EQ(grammar("no_such_command", MagicShape::cell), MagicText::words);
}

}  // namespace
}  // namespace xcuda::command
