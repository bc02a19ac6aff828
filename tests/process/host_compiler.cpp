#include "tests/process/host_compiler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <utility>

namespace xcuda::test {

bool has_host_compiler() { return std::system("g++ --version > /dev/null 2>&1") == 0; }

std::vector<std::string> printed_when_compiled(const std::vector<HostProgram>& programs, Optimisation optimisation) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-programs-{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream source(folder / "programs.cpp");
  source << "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n#include <math.h>\n";
  for (std::size_t i = 0; i < programs.size(); ++i)
    source << fmt::format("namespace program{} {{\n{}void run() {{\n{}}}\n}}\n", i, programs[i].definitions,
                          programs[i].body);
  source << "int main() {\n";
  for (std::size_t i = 0; i < programs.size(); ++i) source << fmt::format("program{}::run(); puts(\"---\");\n", i);
  source << "}\n";
  source.close();
  const auto command = fmt::format(
      "cd {} && g++ -std=c++20 -O{} -w -fwrapv -ffp-contract=off programs.cpp -o programs && ./programs > out.txt",
      folder.string(), optimisation == Optimisation::full ? 2 : 0);
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(folder / "out.txt");
  std::vector<std::string> printed(1);
  for (std::string line; std::getline(file, line);) {
    if (line == "---")
      printed.emplace_back();
    else
      printed.back() += line + "\n";
  }
  file.close();
  std::filesystem::remove_all(folder);
  return printed;
}

std::string comparable(std::string printed) {
  return std::regex_replace(std::move(printed), std::regex("-(nan|0\\n)"), "$1");
}

std::uint64_t fuzz_setting(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace xcuda::test
