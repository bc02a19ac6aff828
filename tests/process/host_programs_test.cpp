// Random host programs give what g++ makes of them: functions with references, pointers, structs and arrays, which are
// native code, and statements over arrays, whose long loops are. The seed is fixed; XCUDA_FUZZ_HOST_PROGRAMS says how
// many programs (each compiles for a second or two; make nightly takes more), XCUDA_FUZZ_SEED which.
//
// What C++ leaves undefined is left out: divisors are not zero, subscripts stay inside, shifts stay inside of the
// width, and reals become integers only where they are small.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"
#include "tests/process/host_compiler.hpp"

namespace xcuda::test {
namespace {

constexpr int kElements = 64;  // of each array; a power of two, so that any number becomes a subscript

class RandomHostProgram {
 public:
  explicit RandomHostProgram(std::uint64_t seed) : random_(seed) {
    text_ =
        "struct State { int count; float level; double sums[2]; };\n"
        "double kept(double x) { return x; }\n";
    scalar_function();
    changing_function();
    struct_function();
    summing_function();
    program_.definitions = std::exchange(text_, {});
    statements();
    program_.body = std::exchange(text_, {});
  }
  const HostProgram& program() const { return program_; }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
  }
  void line(std::string_view text) { (text_ += text) += "\n"; }

  // Of integers, or of float and double as well; the names are variables and elements that are known here.
  std::string integer(int depth) {
    if (depth == 0) return below(3) == 0 ? std::to_string(below(200) - 100) : one_of(integers_);
    const auto left = integer(depth - 1), right = integer(depth - 1);
    switch (below(10)) {
      case 0: return fmt::format("({} + {})", left, right);
      case 1: return fmt::format("({} - {})", left, right);
      case 2: return fmt::format("({} * {})", left, right);
      case 3: return fmt::format("({} / {})", left, divisor(right));
      case 4: return fmt::format("({} % {})", left, divisor(right));
      case 5: return fmt::format("({} ^ {})", left, right);
      case 6: return fmt::format("({} {} {})", left, below(2) == 0 ? "<<" : ">>", below(8));
      case 7: return fmt::format("({} < {} ? {} : {})", left, right, right, left);
      case 8: return fmt::format("(unsigned char)({})", left);
      default: return fmt::format("({} {} {})", left, below(2) == 0 ? "&" : "|", right);
    }
  }
  // Neither zero nor -1, by which the least number cannot be divided.
  std::string divisor(const std::string& of) { return fmt::format("((({}) & 63) + 2)", of); }

  std::string real(int depth) {
    if (depth == 0) {
      static const std::vector<std::string> kLiterals = {"0.5f", "1.25", "3.0f", "-0.1", "1e-3f", "2.0"};
      return below(3) == 0 ? one_of(kLiterals) : one_of(reals_);
    }
    const auto left = real(depth - 1), right = real(depth - 1);
    switch (below(9)) {
      case 0: return fmt::format("({} + {})", left, right);
      case 1: return fmt::format("({} - {})", left, right);
      case 2: return fmt::format("({} * {} * 0.25f)", left, right);
      case 7: return mathematical(left, right);
      case 8: return mathematical(right, left);
      case 3: return fmt::format("({} / 3.0f)", left);
      case 4: return fmt::format("({} < {} ? {} : {})", left, right, left, right);
      case 5: return fmt::format("sqrt(fabs(double({})))", left);
      default: return fmt::format("({} + {})", left, integer(1));
    }
  }
  // Of the host's library, in double or in float; what is given is kept small, so that results stay finite, and
  // g++ does not see it: what it makes of constants is rounded better than by the library.
  std::string mathematical(const std::string& x, const std::string& y) {
    static const std::vector<std::string> kOne = {"sin", "cos", "tanh", "atan", "erf", "cbrt", "asinh", "exp", "expm1"},
                                          kPositive = {"log", "log2", "log1p", "log10", "sqrt", "lgamma", "exp2"},
                                          kTwo = {"atan2", "hypot", "fmin", "fmax", "fmod", "pow"};
    const std::string_view type = below(2) == 0 ? "float" : "double";
    const auto small = [&](const std::string& of) { return fmt::format("{}(fmod(kept({}), 8.0))", type, of); };
    switch (below(3)) {
      case 0: return fmt::format("std::{}({})", one_of(kOne), small(x));
      case 1: return fmt::format("std::{}({}(1.5) + std::fabs({}))", one_of(kPositive), type, small(x));
      default: return fmt::format("std::{}({}(1.5) + std::fabs({}), {})", one_of(kTwo), type, small(x), small(y));
    }
  }
  std::string subscript() { return fmt::format("({}) & {}", integer(1), kElements - 1); }

  void scalar_function() {
    integers_ = {"a", "b", "r"};
    reals_ = {"c", "float(a)"};
    line("int scalar(int a, int b, float c) {");
    line(fmt::format("  int r = {};", fmt::format("a - {}", below(9))));
    line(fmt::format("  for (int i = 0; i < {}; ++i) {{", 2 + below(9)));
    line(fmt::format("    r = {};", integer(2)));
    line(fmt::format("    if ({} > {}) {};", integer(1), below(50), below(2) == 0 ? "break" : "continue"));
    line(fmt::format("    a += {} < {} ? {} : 1;", real(1), real(1), integer(1)));
    line("  }");
    line(fmt::format("  switch (r & 3) {{ case 0: return {}; case 1: r += b; default: return {}; }}", integer(1),
                     integer(2)));
    line("}");
  }

  void changing_function() {
    integers_ = {"k", "i", "n", "y[i]"};
    reals_ = {"x[i]", "scale"};
    line("void change(int& k, float* x, int* y, int n, double scale) {");
    line("  for (int i = 0; i < n; ++i) {");
    line(fmt::format("    x[i] = {};", real(2)));
    line(fmt::format("    y[i] = {};", integer(2)));
    line(fmt::format("    y[{}] += {};", subscript(), integer(1)));
    line(fmt::format("    k = {};", integer(2)));
    line(fmt::format("    if (k % {} == 0) scale = {};", 3 + below(9), real(1)));
    line("  }");
    line("}");
  }

  void struct_function() {
    integers_ = {"s.count", "n", "t.count"};
    reals_ = {"s.level", "s.sums[0]", "s.sums[1]", "t.level"};
    line("State next_state(State s, const State& t, int n) {");
    line("  while (n-- > 0) {");
    line(fmt::format("    s.count = {};", integer(2)));
    line(fmt::format("    s.level = {};", real(2)));
    line(fmt::format("    s.sums[n & 1] = {};", real(2)));
    line("  }");
    line("  return s;");
    line("}");
  }

  void summing_function() {
    integers_ = {"y[i]", "i", "hits"};
    reals_ = {"x[i]", "sum"};
    line("double summed(const float* x, const int* y, int n, int* where) {");
    line("  double sum = 0;");
    line("  int hits = 0;");
    line("  for (int i = 0; i < n; ++i) {");
    line(fmt::format("    sum += {};", real(1)));
    line(fmt::format("    if ({} < {}) {{ ++hits; *where = i; }}", integer(1), below(90)));
    line(fmt::format("    if (hits > {}) return sum + hits;", 5 + below(60)));
    line("  }");
    line(fmt::format("  return sum + scalar(hits, n, float({}));", below(9)));
    line("}");
  }

  void statements() {
    line(fmt::format("float x[{0}]; int y[{0}];", kElements));
    line(fmt::format("for (int i = 0; i < {}; ++i) {{ x[i] = i * {:.3f}f; y[i] = i * {} - {}; }}", kElements,
                     0.125 * (1 + below(9)), 1 + below(50), below(300)));
    line(fmt::format("int k = {}, at = -1;", below(100)));
    line(fmt::format("State s = {{{}, {}.5f, {{1, 2}}}};", below(50), below(50)));
    for (int i = 0; i < 3; ++i) call();
    long_loop();
    for (int i = 0; i < 2; ++i) call();
    line(R"(printf("%d %d %d %.9g %.17g %.17g\n", k, at, s.count, s.level, s.sums[0], s.sums[1]);)");
    line(fmt::format(R"(for (int i = 0; i < {}; ++i) printf("%.9g %d\n", x[i], y[i]);)", kElements));
  }

  void call() {
    integers_ = {"k", "s.count", fmt::format("y[{}]", below(kElements))};
    reals_ = {"s.level", "s.sums[0]", fmt::format("x[{}]", below(kElements))};
    const auto from = below(kElements / 2);
    switch (below(4)) {
      case 0: return line(fmt::format("k = scalar({}, {}, float({}));", integer(1), integer(1), real(1)));
      case 1: return line(fmt::format("change(k, &x[{0}], &y[0], {1}, {2});", from, kElements - from, real(1)));
      case 2: return line(fmt::format("s = next_state(s, s, {});", 1 + below(20)));
      default: return line(fmt::format("s.sums[{}] = summed(x, y, {}, &at);", below(2), 1 + below(kElements)));
    }
  }

  // Longer than what is interpreted.
  void long_loop() {
    integers_ = {"k", "i", "y[i & 63]", "s.count"};
    reals_ = {"x[i & 63]", "s.level", "total"};
    line("double total = 0;");
    line(fmt::format("for (int i = 0; i < {}; ++i) {{", 1000 + below(2000)));
    line(fmt::format("  x[{}] = {};", subscript(), real(2)));
    line(fmt::format("  y[i & 63] = {};", integer(2)));
    line(fmt::format("  if ({} > {}) {{ total += {}; continue; }}", integer(1), below(60), real(1)));
    line(fmt::format("  k = {};", integer(2)));
    line(fmt::format("  if (k == {}) break;", below(2000)));
    line("}");
    line(R"(printf("%.17g %d\n", total, k);)");
  }

  std::mt19937_64 random_;
  std::vector<std::string> integers_, reals_;
  std::string text_;
  HostProgram program_;
};

TEST(HostPrograms, GiveWhatACompilerMakesOfThem) {
  if (!has_host_compiler()) GTEST_SKIP() << "there is no g++";
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  if (session.device_info().kind != device::Kind::cpu) GTEST_SKIP() << "functions with pointers run on the CPU device";
  const auto count = fuzz_setting("XCUDA_FUZZ_HOST_PROGRAMS", 3), seed = fuzz_setting("XCUDA_FUZZ_SEED", 1);
  std::vector<HostProgram> programs;
  for (std::uint64_t i = 0; i < count; ++i) programs.push_back(RandomHostProgram(seed + i).program());
  const auto wanted = printed_when_compiled(programs);
  ASSERT_EQ(wanted.size(), programs.size() + 1);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto& [definitions, body] = programs[i];
    const auto text = fmt::format("{}{{\n{}}}\n", definitions, body);
    Printed sink;
    const auto error = interpreter::run_cell(session, {text, fmt::format("In[{}]", i + 1), "programs"}, sink);
    EXPECT_FALSE(error.has_value()) << error->error.message
                                    << (error->error.place ? fmt::format(" in line {}", error->error.place->line) : "")
                                    << "\n"
                                    << text;
    EXPECT_EQ(comparable(sink.text), comparable(wanted[i])) << "seed " << seed + i << "\n" << text;
    if (HasFailure()) break;  // one is enough to read
  }
}

}  // namespace
}  // namespace xcuda::test
