// Random well-typed scalar expressions: the host compiler and the evaluator agree on every type and value.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "cell/parse.hpp"
#include "interpreter/session_names.hpp"
#include "language/check.hpp"
#include "tests/unit/interpreter/session_fixture.hpp"

namespace xcuda::interpreter {
namespace {

struct Declared {
  const char *type, *name, *value;
};
constexpr Declared kVariables[] = {{"bool", "b", "true"},
                                   {"char", "c", "'q'"},
                                   {"signed char", "sc", "-100"},
                                   {"unsigned char", "uc", "200"},
                                   {"short", "s", "-30000"},
                                   {"unsigned short", "us", "60000"},
                                   {"int", "i", "-2000000000"},
                                   {"unsigned int", "u", "4000000000u"},
                                   {"long", "l", "-5000000000000"},
                                   {"unsigned long", "ul", "18000000000000000000ul"},
                                   {"long long", "ll", "1234567890123"},
                                   {"unsigned long long", "ull", "99ull"},
                                   {"float", "f", "1.7f"},
                                   {"double", "d", "-3.25e4"}};

// Integer expressions never divide by zero, shift too far or convert a real out of range; what wraps does so in both.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string any(int depth) { return chance(2) ? integer(depth) : real(depth); }

  std::string integer(int depth) {
    if (depth <= 0) {
      static constexpr const char* kLiterals[] = {"0",     "1",     "7",     "0xFFu", "2147483647", "0x80000000",
                                                  "3l",    "12ul",  "100ll", "5ull",  "'a'",        "true",
                                                  "false", "'\\n'", "0b101", "017",   "1'000"};
      return chance(2) ? kVariables[number(12)].name : kLiterals[number(std::size(kLiterals))];
    }
    const auto one = [&] { return "(" + integer(depth - 1) + ")"; };
    switch (number(12)) {
      case 0: return one() + " + " + one();
      case 1: return one() + " - " + one();
      case 2: return one() + " * " + one();
      case 3: return one() + (chance(2) ? " / " : " % ") + "((" + integer(depth - 1) + ") & 15 | 1)";
      case 4: return one() + (chance(2) ? " << " : " >> ") + "((" + integer(depth - 1) + ") & 15)";
      case 5: {
        static constexpr const char* kOps[] = {" & ", " | ", " ^ "};
        return one() + kOps[number(3)] + one();
      }
      case 6: {
        static constexpr const char* kOps[] = {"-", "~", "!", "+"};
        return kOps[number(4)] + one();
      }
      case 7: return comparison(depth);
      case 8: return comparison(depth) + (chance(2) ? " && " : " || ") + comparison(depth);
      case 9: return "(" + comparison(depth) + " ? " + integer(depth - 1) + " : " + integer(depth - 1) + ")";
      case 10: return fmt::format("({}){}", kVariables[number(12)].type, one());
      default: {
        const auto value = real(depth - 1);
        return fmt::format("(({0}) < 100 && ({0}) > -100 ? (int)({0}) : {1})", value, integer(0));
      }
    }
  }

  std::string real(int depth) {
    if (depth <= 0) {
      static constexpr const char* kLiterals[] = {"0.5", "1.0f", "3.14159", "2e3f", "1e-3", ".25f", "0x1.8p1"};
      return chance(2) ? kVariables[12 + number(2)].name : kLiterals[number(std::size(kLiterals))];
    }
    const auto one = [&] { return "(" + real(depth - 1) + ")"; };
    switch (number(8)) {
      case 0: return one() + " + " + one();
      case 1: return one() + " - (" + any(depth - 1) + ")";
      case 2: return "(" + any(depth - 1) + ") * " + one();
      case 3: return one() + " / " + one();
      case 4: return "-" + one();
      case 5: return "(" + comparison(depth) + " ? " + any(depth - 1) + " : " + real(depth - 1) + ")";
      case 6: return fmt::format("({})({})", chance(2) ? "float" : "double", any(depth - 1));
      default: return fmt::format("sqrt(fabs({}))", real(depth - 1));
    }
  }

 private:
  std::string comparison(int depth) {
    static constexpr const char* kOps[] = {"<", "<=", ">", ">=", "==", "!="};
    return fmt::format("(({}) {} ({}))", any(depth - 1), kOps[number(6)], any(depth - 1));
  }
  std::size_t number(std::size_t below) { return random_() % below; }
  bool chance(std::size_t of) { return number(of) == 0; }
  std::mt19937 random_;
};

// One line as the program below prints it.
std::string line_of(const language::ScalarValue& value) {
  if (value.is_floating()) return fmt::format("{} {:.17g}", value.type().name, value.as_real());
  return value.is_negative() ? fmt::format("{} {}", value.type().name, value.as_signed())
                             : fmt::format("{} {}", value.type().name, value.as_unsigned());
}

constexpr const char* kPrelude = R"(#include <cmath>
#include <cstdio>
using std::sqrt; using std::fabs;
#define SHOW(T, format, as) void show(T v) { std::printf(#T " " format "\n", (as)v); }
SHOW(bool, "%d", int) SHOW(char, "%d", int) SHOW(signed char, "%d", int) SHOW(unsigned char, "%d", int) SHOW(short, "%d", int) SHOW(unsigned short, "%d", int)
SHOW(int, "%d", int) SHOW(unsigned int, "%u", unsigned) SHOW(long, "%ld", long) SHOW(unsigned long, "%lu", unsigned long) SHOW(long long, "%lld", long long)
SHOW(unsigned long long, "%llu", unsigned long long) SHOW(float, "%.17g", double) SHOW(double, "%.17g", double)
int main() {
)";

class RandomExpressions : public SessionFixture {
 protected:
  // Before it runs.
  std::string checked_type(const std::string& text) {
    CellRun run{{"In[1]", text}, {}, shown_};
    SessionNames names(*session_, run, nullptr);
    return language::form_of(*cell::parse_expression(text, "In[1]"), {"In[1]", text}, names).type.name;
  }
};
TEST_F(RandomExpressions, AgreeWithTheCompiler) {
  if (std::system("c++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  Generator generator(20240229);
  std::string program = kPrelude;
  std::vector<std::string> sources, wanted;
  for (const auto& variable : kVariables) {
    const auto declaration = fmt::format("{} {} = {};\n", variable.type, variable.name, variable.value);
    program += declaration;
    ASSERT_FALSE(run(declaration)) << declaration;
  }
  for (int i = 0; i < 400; ++i) {
    std::string text = generator.any(1 + i % 4);
    if (i % 5 == 0) {  // an assignment, so that later lines see other values; reals stay small enough to convert
      static constexpr const char* kOps[] = {"=", "+=", "-=", "*=", "^=", "|=", "&="};
      text = fmt::format("{} {} ({})", kVariables[static_cast<std::size_t>(i / 5) % 12].name, kOps[i / 5 % 7],
                         generator.integer(2));
    }
    sources.push_back(text);
    program += "show(" + text + ");\n";
  }
  program += "}\n";

  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-random-{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "program.cpp") << program;
  const auto binary = (folder / "program").string();
  const auto built = std::system(
      fmt::format("c++ -std=c++17 -w -O0 -fwrapv -ffp-contract=off -o {0} {0}.cpp 2> {0}.log", binary).c_str());
  ASSERT_EQ(built, 0) << "see " << binary << ".log";
  auto* pipe = popen(binary.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[256];
  std::size_t row = 0;
  while (std::fgets(line, sizeof line, pipe)) {
    std::string compiler(line);
    compiler.pop_back();
    ASSERT_LT(row, sources.size());
    const auto& text = sources[row++];
    const auto checked = checked_type(text);
    const auto value = number(text);
    EXPECT_EQ(checked, value.type().name) << "line " << row << ": " << text;
    auto mine = line_of(value);
    if (mine.ends_with(" -nan")) mine.erase(mine.size() - 4, 1);
    if (compiler.ends_with(" -nan")) compiler.erase(compiler.size() - 4, 1);
    EXPECT_EQ(mine, compiler) << "line " << row << ": " << text;
  }
  pclose(pipe);
  EXPECT_EQ(row, sources.size());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace xcuda::interpreter
