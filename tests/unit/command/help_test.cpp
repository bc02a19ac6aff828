#include "command/help.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "tests/places.hpp"

namespace xcuda::command {
namespace {

// docs/commands.md; XCUDA_APPROVE=1 writes it anew.
TEST(Document, IsWhatTheTableSays) {
  const auto path = test::source_file("docs/commands.md");
  if (std::getenv("XCUDA_APPROVE") != nullptr) std::ofstream(path) << commands_document();
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), commands_document()) << path << " is stale: XCUDA_APPROVE=1 writes it anew";
}

bool shows(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Help, EveryCommandHasAPage) {
  for (const auto& command : table()) {
    const auto page = command_help(command);
    EXPECT_TRUE(shows(display::plain(page), command.usage)) << command.name;
    EXPECT_TRUE(page.data.contains(display::kHtmlMime)) << command.name;
    EXPECT_TRUE(shows(display::plain(magic_list()), command.summary)) << command.name;
  }
  EXPECT_FALSE(display::plain(help_page()).empty());
}

TEST(Help, TopicsForeignMagicsAndTypingErrors) {
  const Scope scope;
  for (const auto& topic : topics()) EXPECT_FALSE(display::plain(help_on(topic.name, scope)).empty()) << topic.name;
  EXPECT_TRUE(shows(display::plain(help_on("%launch", scope)), "--repeat"));
  EXPECT_TRUE(shows(display::plain(help_on("gpu_timeit", scope)), "--repeat"));
  try {
    help_on("lauch", scope);
    FAIL() << "help on an unknown name";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::name);
    EXPECT_EQ(error.advice, "did you mean launch?");
  }
}

}  // namespace
}  // namespace xcuda::command
