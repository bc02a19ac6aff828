// The example of every command runs as it stands, and the table says nothing of options that are not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "command/command_table.hpp"
#include "command/runner.hpp"
#include "programs/session_parts.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {
namespace {

TEST(Examples, OfEveryCommandRun) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-examples-{}", getpid());
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  int number = 0;
  for (const auto& command : command::table()) {
    if (command.example.empty()) continue;
    for (const auto text : {command.setup, command.example}) {
      if (text.empty()) continue;
      TextSink sink;
      const auto error = interpreter::run_cell(session, {std::string(text), fmt::format("In[{}]", ++number), {}}, sink);
      EXPECT_FALSE(error.has_value()) << command.name << ": " << (error ? error->error.message : "") << "\n" << text;
    }
  }
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace xcuda::test
