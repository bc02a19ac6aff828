// Functions and loops of many kinds, tests/process/host_kinds/*.programs, print what g++ -O2 makes of them. A program
// is
//
//   === its name
//   functions and types
//   ---
//   statements
//
// What is not worth compiling, or cannot be, is interpreted; both are right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"
#include "tests/places.hpp"
#include "tests/process/host_compiler.hpp"

namespace xcuda::test {
namespace {

struct NamedProgram {
  std::string name;
  HostProgram program;
};

std::vector<NamedProgram> read_programs(const std::string& path) {
  std::ifstream file(path);
  std::vector<NamedProgram> programs;
  std::string* into = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      programs.push_back({line.substr(4), {}});
      into = &programs.back().program.definitions;
    } else if (line == "---" && !programs.empty()) {
      into = &programs.back().program.body;
    } else if (into != nullptr) {
      *into += line + "\n";
    }
  }
  return programs;
}

class HostKinds : public testing::TestWithParam<const char*> {};

TEST_P(HostKinds, PrintWhatACompilerMakesOfThem) {
  if (!has_host_compiler()) GTEST_SKIP() << "there is no g++";
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  if (session.device_info().kind != device::Kind::cpu) GTEST_SKIP() << "tests/gpu runs host code on a GPU";
  const auto all = read_programs(source_file(fmt::format("tests/process/host_kinds/{}.programs", GetParam())));
  ASSERT_GE(all.size(), 40u);
  std::vector<HostProgram> programs;
  for (const auto& one : all) programs.push_back(one.program);
  const auto wanted = printed_when_compiled(programs, Optimisation::full);
  ASSERT_EQ(wanted.size(), programs.size() + 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto text = fmt::format("{}{{\n{}}}\n", programs[i].definitions, programs[i].body);
    Printed sink;
    const auto error = interpreter::run_cell(session, {text, fmt::format("In[{}]", i + 1), all[i].name}, sink);
    EXPECT_FALSE(error.has_value()) << all[i].name << ": " << error->error.message << " "
                                    << (error->error.place ? fmt::format("in line {}", error->error.place->line) : "")
                                    << "\n"
                                    << error->error.library;
    if (!error) {
      EXPECT_EQ(comparable(sink.text), comparable(wanted[i])) << all[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, HostKinds, testing::Values("functions", "loops"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace xcuda::test
