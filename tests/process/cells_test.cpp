// Every script of tests/cells, each in a session of its own over the compile worker and the first device of the
// machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/sanitizers.hpp"
#include "base/text.hpp"
#include "command/runner.hpp"
#include "programs/session_parts.hpp"
#include "tests/places.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {
namespace {

namespace fs = std::filesystem;

class Scripts : public ::testing::TestWithParam<std::string> {};

TEST_P(Scripts, GivesWhatItSays) {
  const bool loads = GetParam().starts_with("programs_on_device") || GetParam().starts_with("host_module");
  if ((kAddressSanitizer || kThreadSanitizer) && loads)
    GTEST_SKIP() << "programs cannot load libraries that are compiled with a sanitizer";
  const auto folder = fs::temp_directory_path() / fmt::format("xcuda-cells-{}", getpid());
  fs::create_directories(folder);
  fs::current_path(folder);
  setenv("XCUDA_SOURCE_DIR", source_file("").c_str(), 1);  // for cells that copy files of the tree
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  int number = 0, skipped = 0;
  const auto cells = read_script(source_file("tests/cells/" + GetParam() + ".cells"));
  ASSERT_FALSE(cells.empty());
  const auto device = device::kind_name(session.device_info().kind);
  for (const auto& cell : cells) {
    if (!cell.device.empty() && cell.device != device) {
      fmt::print("[ SKIPPED  ] {}.cells:{} is for the device {}\n", GetParam(), cell.line, cell.device);
      RecordProperty("skipped_cells", ++skipped);
      continue;
    }
    TextSink sink;
    const auto error = interpreter::run_cell(session, {cell.code, fmt::format("In[{}]", ++number), {}}, sink);
    const auto wrong = compare(cell, sink.text, error);
    EXPECT_TRUE(wrong.empty()) << GetParam() << ".cells:" << cell.line << "\n" << cell.code << "\n--- " << wrong;
  }
  fs::current_path("/");
  fs::remove_all(folder);
}

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source_file("tests/cells")))
    if (entry.path().extension() == ".cells") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cells, Scripts, ::testing::ValuesIn(scripts()), [](const auto& test) { return test.param; });

// What a script expects can be missed: no output of dots alone, no device that there is not, no section misspelt.
TEST_P(Scripts, CanFail) {
  const auto cells = read_script(source_file("tests/cells/" + GetParam() + ".cells"));
  for (const auto& cell : cells) {
    const auto place = fmt::format("{}.cells:{}", GetParam(), cell.line);
    EXPECT_TRUE(cell.device.empty() || cell.device == "cpu" || cell.device == "cuda") << place;
    if (!cell.output) continue;
    const auto lines = split_lines(*cell.output);
    EXPECT_TRUE(trim(*cell.output).empty() ||
                std::any_of(lines.begin(), lines.end(),
                            [](std::string_view line) { return line.find_first_not_of(". \r") != line.npos; }))
        << place << " takes any output";
  }
}

TEST(Pattern, DotsStandForAnything) {
  EXPECT_TRUE(matches("a\n...\nc\n", "a\nb\nb\nc"));
  EXPECT_TRUE(matches("x = ... s", "x = 12 s"));
  EXPECT_FALSE(matches("a\n...\nc", "a\nb"));
  EXPECT_FALSE(matches("", "a"));
}

}  // namespace
}  // namespace xcuda::test
