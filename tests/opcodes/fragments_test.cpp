// Instructions of the whole list put together at random: registers that nothing writes, ways that nobody takes,
// operands that do not fit. What is wrong with PTX is an error of that PTX, and never of the program. The seed is
// fixed; XCUDA_FUZZ_FRAGMENTS says how many kernels, XCUDA_FUZZ_SEED which; with XCUDA_FUZZ_SHOW each is shown first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cpu/loaded_program.hpp"
#include "ptx/ptx_parser.hpp"
#include "tests/opcodes/isa.hpp"

namespace xcuda::opcodes {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// One instruction each, without declarations, labels and scopes.
std::vector<std::string> statements() {
  std::vector<std::string> all;
  for (const Line& line : isa_lines()) {
    const std::string_view body = line.body;
    if (body.find(':') != body.npos || body.find(".reg") != body.npos || body.find(".param") != body.npos ||
        body.find(".shared ") != body.npos || body.find(".local ") != body.npos || !line.module.empty())
      continue;
    for (std::size_t at = 0, end = 0; (end = body.find(';', at)) != body.npos; at = end + 1)
      if (const auto statement = trim(body.substr(at, end - at)); !statement.empty()) all.emplace_back(statement);
  }
  return all;
}

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string body(const std::vector<std::string>& pool) {
    std::string text;
    for (int i = 0, count = 3 + below(20); i < count; ++i) {
      switch (below(12)) {
        case 0: text += fmt::format("{}bra L{};\n", guard(), below(kLabels)); break;
        case 1: text += "bar.sync 0;\n"; break;
        case 2: text += label(); break;
        default: {
          auto statement = pool[static_cast<std::size_t>(below(static_cast<int>(pool.size())))];
          if (below(6) == 0) statement = spoiled(statement);
          text += (statement.front() == '@' ? "" : guard()) + statement + ";\n";
        }
      }
    }
    while (next_label_ < kLabels) text += label();
    return text;
  }

  device::Dim3 block() {
    static constexpr device::Dim3 kBlocks[] = {{32}, {256}, {48}, {16, 4}, {32, 2}, {7, 5}, {4, 4, 4}};
    return kBlocks[below(std::size(kBlocks))];
  }
  device::Checks checks() {
    device::Checks checks;
    checks.bounds = below(2) == 0;
    checks.races = below(8) == 0;
    checks.uninitialised = below(8) == 0;
    return checks;
  }

 private:
  static constexpr int kLabels = 3;

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  std::string guard() { return below(4) == 0 ? fmt::format("@{}%p{} ", below(2) == 0 ? "!" : "", below(8)) : ""; }
  std::string label() { return next_label_ < kLabels ? fmt::format("L{}:\n", next_label_++) : ""; }

  // With one operand in the place of another.
  std::string spoiled(std::string statement) {
    static constexpr const char* kOperands[] = {
        "%t1",        "%p1", "%h1",   "%f1",   "%g1",        "%x1", "%lane",  "%m",       "1",        "-1",    "_",
        "0f3F800000", "box", "[%x1]", "[box]", "{%t1, %t2}", "L0",  "%tid.x", "%clock64", "{_, %t3}", "listed"};
    const auto begin = statement.find(' ');
    if (begin == statement.npos) return statement;
    std::vector<std::string> operands;
    int depth = 0;
    std::string one;
    for (const char c : statement.substr(begin + 1)) {
      depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
      if (c == ',' && depth == 0)
        operands.push_back(std::exchange(one, {}));
      else
        one += c;
    }
    operands.push_back(one);
    operands[static_cast<std::size_t>(below(static_cast<int>(operands.size())))] =
        kOperands[below(std::size(kOperands))];
    return statement.substr(0, begin + 1) + fmt::format("{}", fmt::join(operands, ", "));
  }

  std::mt19937_64 random_;
  int next_label_ = 0;
};

TEST(Fragments, AreNeverAnInternalError) {
  const auto pool = statements();
  ASSERT_GT(pool.size(), 500u);
  device::cpu::Translator translator;
  const auto seed = number_of("XCUDA_FUZZ_SEED", 1), count = number_of("XCUDA_FUZZ_FRAGMENTS", 150);
  std::uint64_t compiled = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Writer writer(seed * 1'000'003 + i);
    Line line;
    line.name = "fragment";
    line.body = writer.body(pool);
    const auto text = isa_module(line);
    if (std::getenv("XCUDA_FUZZ_SHOW") != nullptr) fmt::print("{} of {}\n{}\n", i, count, text), std::fflush(stdout);
    try {
      const auto program = translator.load({"In[1]", text});
      program->kernel({"listed", {1}, writer.block(), writer.checks()});
      ++compiled;
    } catch (const Error& error) {
      EXPECT_NE(error.kind, ErrorKind::internal) << error.message << "\n" << error.library << "\n" << text;
      EXPECT_FALSE(error.message.empty());
    }
  }
  EXPECT_GT(compiled, count / 10);  // or the test tests nothing
}

}  // namespace
}  // namespace xcuda::opcodes
