// Random well-typed programs of scalars give what g++ makes of them. The seed is fixed; XCUDA_FUZZ_PROGRAMS says how
// many programs (make check takes more), XCUDA_FUZZ_SEED which.
//
// What C++ leaves undefined is left out: divisors are not zero, shifts stay inside of the width, reals become integers
// only where they are small, and g++ wraps signed integers as statements do. Functions of <cmath> are those whose
// result is exact in every library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/text.hpp"
#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "tests/process/cell_script.hpp"
#include "tests/process/host_compiler.hpp"

namespace xcuda::test {
namespace {

struct Kind {
  const char* name;
  const char* format;
  bool real;
};
constexpr std::array<Kind, 11> kKinds = {{{"int", "%d", false},
                                          {"unsigned", "%u", false},
                                          {"long", "%ld", false},
                                          {"unsigned long", "%lu", false},
                                          {"short", "%d", false},
                                          {"unsigned short", "%d", false},
                                          {"signed char", "%d", false},
                                          {"unsigned char", "%d", false},
                                          {"bool", "%d", false},
                                          {"float", "%.17g", true},
                                          {"double", "%.17g", true}}};

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 6; ++i) declare();
    for (int i = 0; i < 8; ++i) statement(2);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      text_ += fmt::format("printf(\"{} {}\\n\", {});\n", variables_[i]->name, variables_[i]->format, name(i));
  }
  const std::string& text() const { return text_; }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  static std::string name(std::size_t index) { return fmt::format("v{}", index); }

  void declare() {
    const auto& kind = kKinds[static_cast<std::size_t>(below(kKinds.size()))];
    const auto value = expression(kind.real, 2);
    text_ += fmt::format("{} {} = {};\n", kind.name, name(variables_.size()), value);
    variables_.push_back(&kind);
  }

  // A variable of integers or of any kind; nothing when there is none.
  std::string variable(bool real) {
    std::vector<std::string> fitting;
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (real || !variables_[i]->real) fitting.push_back(name(i));
    return fitting.empty() ? literal(real) : fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
  }

  std::string literal(bool real) {
    static constexpr const char* kIntegers[] = {"0",      "1",          "7",          "255",  "-3",
                                                "65536",  "2147483647", "3000000000", "5u",   "9l",
                                                "0xFFul", "'a'",        "true",       "1ull", "-128"};
    static constexpr const char* kReals[] = {"0.5",  "1.25f", "3.1415926535", "1e-3f",
                                             "-2.0", "1e10f", "0.1f",         "16777217.0"};
    if (real && below(2) == 0) return kReals[below(static_cast<int>(std::size(kReals)))];
    return kIntegers[below(static_cast<int>(std::size(kIntegers)))];
  }

  std::string expression(bool real, int depth) {
    if (depth == 0) return below(3) == 0 ? literal(real) : variable(real);
    const auto left = expression(real, depth - 1), right = expression(real, depth - 1);
    switch (below(real ? 13 : 20)) {
      case 0: return fmt::format("({} + {})", left, right);
      case 1: return fmt::format("({} - {})", left, right);
      case 2: return fmt::format("({} * {})", left, right);
      case 3: return fmt::format("({} / {})", left, real ? "3.0f" : std::to_string(1 + below(1000)));
      case 4: {
        static constexpr const char* kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
        return fmt::format("({} {} {})", left, kCompare[below(6)], right);
      }
      case 5: return fmt::format("({} ? {} : {})", expression(false, depth - 1), left, right);
      case 6: return fmt::format("(- {})", left);
      case 7: return fmt::format("({} {} {})", left, below(2) == 0 ? "&&" : "||", right);
      case 8:
        return cast(real ? (below(2) == 0 ? "float" : "double") : kKinds[static_cast<std::size_t>(below(8))].name,
                    left);
      case 9: return real ? exact_function(left, right) : fmt::format("({} % {})", left, 1 + below(1000));
      case 10:
        return real ? fmt::format("({} ? {} : {})", left, right, expression(true, depth - 1))
                    : fmt::format("({} {} {})", left, below(2) == 0 ? "<<" : ">>", below(31));
      case 11: return real ? fmt::format("(!{})", left) : fmt::format("({} & {})", left, right);
      case 12:
        return real ? fmt::format("({} + sizeof(({})))", left, right)
                    : fmt::format("({} {} {})", left, below(2) == 0 ? "|" : "^", right);
      case 13: return fmt::format("(~{})", left);
      case 14: return fmt::format("(+{})", left);
      case 15: return fmt::format("({} / {})", left, divisor(right));
      case 16: return fmt::format("({} % {})", left, divisor(right));
      case 17:  // a shift by what a variable says
        return fmt::format("({} {} (({}) & 15))", left, below(2) == 0 ? "<<" : ">>", right);
      case 18: {
        static constexpr const char* kTypes[] = {"int", "unsigned", "long", "unsigned long"};
        return fmt::format("std::{}<{}>({}, {})", below(2) == 0 ? "min" : "max", kTypes[below(4)], left, right);
      }
      default:
        // A real that every integer type holds, cut off towards zero.
        return fmt::format("({})(fmod(fabs(double({})), 100.0) * 0.37)",
                           kKinds[static_cast<std::size_t>(below(8))].name, left);
    }
  }

  // Neither zero nor -1, by which the least number cannot be divided.
  std::string divisor(const std::string& of) {
    return fmt::format("(((({}) & 1023) | 1){})", of, below(2) == 0 ? "" : " - 2048");
  }

  std::string cast(std::string_view type, const std::string& operand) {
    const bool one_word = type.find(' ') == std::string_view::npos;
    switch (below(one_word ? 3 : 2)) {
      case 0: return fmt::format("({})({})", type, operand);
      case 1: return fmt::format("static_cast<{}>({})", type, operand);
      default: return fmt::format("{}({})", type, operand);
    }
  }

  std::string exact_function(const std::string& left, const std::string& right) {
    static constexpr const char* kOne[] = {"fabs", "floor", "ceil", "trunc", "round", "rint"};
    static constexpr const char* kTwo[] = {"fmin", "fmax", "fmod", "fdim"};
    switch (below(4)) {
      case 0: return fmt::format("{}(double({}))", kOne[below(6)], left);
      case 1: return fmt::format("{}f(float({}))", kOne[below(6)], left);
      case 2: return fmt::format("sqrt(fabs(double({})))", left);
      default: return fmt::format("{}(double({}), double({}))", kTwo[below(4)], left, right);
    }
  }

  // An integer variable that may be written, other than bool; nothing when there is none.
  std::string written() {
    std::vector<std::string> fitting;
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (!variables_[i]->real && std::string_view(variables_[i]->name) != "bool") fitting.push_back(name(i));
    return fitting.empty() ? "" : fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
  }

  void assignment() {
    const auto target = static_cast<std::size_t>(below(static_cast<int>(variables_.size())));
    const auto& kind = *variables_[target];
    const bool truth = std::string_view(kind.name) == "bool";
    switch (below(7)) {
      case 0: text_ += fmt::format("{} = {};\n", name(target), expression(kind.real, 2)); break;
      case 4: {  // a step as a value
        const auto stepped = written();
        static constexpr const char* kSteps[] = {"++{}", "--{}", "{}++", "{}--"};
        if (stepped.empty() || stepped == name(target)) break;
        text_ += fmt::format("{} = {};\n", name(target), fmt::format(fmt::runtime(kSteps[below(4)]), stepped));
        break;
      }
      case 5: {  // an assignment as a value
        const auto assigned = written();
        if (assigned.empty() || assigned == name(target)) break;
        text_ +=
            fmt::format("{} = {} {} {};\n", name(target), assigned, below(2) == 0 ? "=" : "+=", expression(false, 1));
        break;
      }
      case 6: {
        static constexpr const char* kOps[] = {"/=", "%="};
        if (truth) break;
        text_ += kind.real ? fmt::format("{} /= 7.5;\n", name(target))
                           : fmt::format("{} {} {};\n", name(target), kOps[below(2)], divisor(expression(false, 1)));
        break;
      }
      case 1: {
        static constexpr const char* kOps[] = {"+=", "-=", "*=", "&=", "|=", "^="};
        text_ += fmt::format("{} {} {};\n", name(target), kOps[below(kind.real ? 3 : 6)], expression(kind.real, 1));
        break;
      }
      case 2:
        if (truth || kind.real) break;
        text_ += fmt::format("{} {} {};\n", name(target), below(2) == 0 ? "<<=" : ">>=", below(7));
        break;
      default:
        if (!truth) text_ += fmt::format("{}{};\n", below(2) == 0 ? "++" : "--", name(target));
    }
  }

  void statement(int depth) {
    const int choice = depth == 0 ? 0 : below(8);
    if (choice < 4) return assignment();
    if (choice >= 6) return loop_while(depth);
    if (choice == 4) {
      text_ += fmt::format("if ({}) {{\n", expression(true, 1));
      statement(depth - 1);
      text_ += "} else {\n";
      statement(depth - 1);
      text_ += "}\n";
      return;
    }
    const auto counter = fmt::format("i{}", counters_++);
    text_ += fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{\n", counter, 2 + below(5));
    statement(depth - 1);
    if (below(3) == 0)
      text_ += fmt::format("if ({}) {};\n", expression(false, 1), below(2) == 0 ? "break" : "continue");
    statement(depth - 1);
    text_ += "}\n";
  }

  // A while or a do loop that counts down, with a variable of its own inside.
  void loop_while(int depth) {
    const auto counter = fmt::format("i{}", counters_++);
    const bool first = below(2) == 0;
    text_ += fmt::format("{{ unsigned char {} = {};\n", counter, 1 + below(6));
    text_ += first ? fmt::format("while ({}-- > 0) {{\n", counter) : "do {\n";
    const auto inner = fmt::format("j{}", counters_++);
    text_ += fmt::format("const auto {} = {};\n", inner, expression(true, 1));
    const auto target = static_cast<std::size_t>(below(static_cast<int>(variables_.size())));
    if (variables_[target]->real) text_ += fmt::format("{} = {} * 0.5;\n", name(target), inner);
    if (below(3) == 0)
      text_ += fmt::format("if ({} {} {}) {};\n", inner, below(2) == 0 ? "<" : "==", literal(true),
                           first && below(2) == 0 ? "continue" : "break");
    statement(depth - 1);
    text_ += first ? "}\n" : fmt::format("}} while (--{} > 0);\n", counter);
    text_ += "}\n";
  }

  std::mt19937_64 random_;
  std::vector<const Kind*> variables_;
  int counters_ = 0;
  std::string text_;
};

TEST(ScalarPrograms, GiveWhatACompilerMakesOfThem) {
  if (!has_host_compiler()) GTEST_SKIP() << "there is no g++";
  const auto count = fuzz_setting("XCUDA_FUZZ_PROGRAMS", 100), seed = fuzz_setting("XCUDA_FUZZ_SEED", 1);
  std::vector<HostProgram> programs;
  for (std::uint64_t i = 0; i < count; ++i) programs.push_back({{}, Program(seed + i).text()});
  const auto wanted = printed_when_compiled(programs);
  ASSERT_EQ(wanted.size(), programs.size() + 1);
  command::Runner runner;
  session::Session session({}, runner);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    TextSink sink;
    const auto error =
        interpreter::run_cell(session, {"{\n" + programs[i].body + "}\n", fmt::format("In[{}]", i + 1), {}}, sink);
    EXPECT_FALSE(error.has_value()) << error->error.message
                                    << (error->error.place ? fmt::format(" in line {}", error->error.place->line - 1)
                                                           : "")
                                    << "\n"
                                    << programs[i].body;
    EXPECT_EQ(comparable(sink.text), comparable(wanted[i])) << "seed " << seed + i << "\n" << programs[i].body;
    if (HasFailure()) break;  // one is enough to read
  }
}

}  // namespace
}  // namespace xcuda::test
