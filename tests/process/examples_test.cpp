// The example of every command runs as it stands, and the table says nothing of options that are not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "command/command_table.hpp"
#include "command/runner.hpp"
#include "language/functions.hpp"
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

// The example of every function of the language, after the arrays that its row assumes.
TEST(Examples, OfEveryFunctionRun) {
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  for (const auto* function : language::all_functions()) {
    if (function->example.empty()) continue;
    TextSink sink;
    const auto code = fmt::format("float x[6] = {{3, 1, 2, 6, 5, 4}}, y[6] = 1;\n{}", function->example);
    const auto error = interpreter::run_cell(session, {code, "In[1]", {}}, sink);
    EXPECT_FALSE(error.has_value()) << function->name << ": " << (error ? error->error.message : "") << "\n" << code;
  }
}

}  // namespace
}  // namespace xcuda::test
