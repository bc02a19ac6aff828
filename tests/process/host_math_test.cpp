// Every function of <cmath> that host code may call: what is compiled gives the bits of the host's library over many
// values, and so does what is interpreted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include "base/host_arithmetic.hpp"
#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "language/functions.hpp"
#include "programs/session_parts.hpp"
#include "tests/process/host_compiler.hpp"

namespace xcuda::test {
namespace {

constexpr int kValues = 6000;  // of each function

// The numbers, as cells make them: of many magnitudes, both signs, and the special ones.
constexpr const char* kNumbers =
    "double number_of(int i) {\n"
    "  const double scales[8] = {1e-3, 1e-300, 1e-9, 0.37, 1.0, 29.5, 1e7, 1e300};\n"
    "  unsigned state = i * 2654435761u + 12345u;\n"
    "  state ^= state >> 15; state *= 2246822519u; state ^= state >> 13;\n"
    "  if (i % 500 == 7) return 0.0;\n"
    "  if (i % 500 == 8) return -0.0;\n"
    "  if (i % 500 == 9) return 1e308 * 1e308;\n"
    "  if (i % 500 == 10) return -1e308 * 1e308;\n"
    "  if (i % 7 == 0) return (int)(state >> 26) - 32;\n"
    "  return ((int)(state >> 1) - 1073741824) / 1073741824.0 * scales[i % 8];\n"
    "}\n";

double number_of(int i) {
  const double scales[8] = {1e-3, 1e-300, 1e-9, 0.37, 1.0, 29.5, 1e7, 1e300};
  unsigned state = static_cast<unsigned>(i) * 2654435761u + 12345u;
  state ^= state >> 15;
  state *= 2246822519u;
  state ^= state >> 13;
  if (i % 500 == 7) return 0.0;
  if (i % 500 == 8) return -0.0;
  if (i % 500 == 9) return HUGE_VAL;
  if (i % 500 == 10) return -HUGE_VAL;
  if (i % 7 == 0) return static_cast<int>(state >> 26) - 32;
  return (static_cast<int>(state >> 1) - 1073741824) / 1073741824.0 * scales[i % 8];
}

constexpr std::uint64_t kSeed = 1469598103934665603u, kPrime = 1099511628211u;

// One function over the numbers: its results as one number.
template <class Result, class... Inputs> std::uint64_t hash_of(const void* address) {
  auto* const function = reinterpret_cast<Result (*)(Inputs...)>(const_cast<void*>(address));
  std::uint64_t hash = kSeed;
  for (int i = 0; i < kValues; ++i) {
    int next = i;
    const auto input = [&]<class T>(T*) {
      const double value = number_of(next);
      next = next * 3 + 1;
      if constexpr (std::is_same_v<T, int>) return static_cast<int>(next % 61 - 30);
      return static_cast<T>(value);
    };
    std::tuple<Inputs...> inputs{input(static_cast<Inputs*>(nullptr))...};
    const Result result = std::apply(function, inputs);
    std::uint64_t bits = 0;
    if constexpr (std::is_same_v<Result, float>)
      bits = std::bit_cast<std::uint32_t>(result);
    else if constexpr (std::is_same_v<Result, double>)
      bits = std::bit_cast<std::uint64_t>(result);
    else
      bits = static_cast<std::uint64_t>(static_cast<long long>(result));
    hash = (hash ^ bits) * kPrime;
  }
  return hash;
}

using Kinds = std::array<Number, 3>;  // result, inputs
using Hash = std::uint64_t (*)(const void*);
const std::map<Kinds, Hash> kHashes = {
    {{Number::float64, Number::float64, Number::none}, &hash_of<double, double>},
    {{Number::float32, Number::float32, Number::none}, &hash_of<float, float>},
    {{Number::float64, Number::float64, Number::float64}, &hash_of<double, double, double>},
    {{Number::float32, Number::float32, Number::float32}, &hash_of<float, float, float>},
    {{Number::int32, Number::float64, Number::none}, &hash_of<int, double>},
    {{Number::int32, Number::float32, Number::none}, &hash_of<int, float>},
    {{Number::int64, Number::float64, Number::none}, &hash_of<long long, double>},
    {{Number::int64, Number::float32, Number::none}, &hash_of<long long, float>},
    {{Number::float64, Number::float64, Number::int32}, &hash_of<double, double, int>},
    {{Number::float32, Number::float32, Number::int32}, &hash_of<float, float, int>},
    {{Number::float64, Number::int32, Number::float64}, &hash_of<double, int, double>},
    {{Number::float32, Number::int32, Number::float32}, &hash_of<float, int, float>},
};

// The same as C++ of a cell.
std::string hashing_function(const HostFunction& function) {
  std::string inputs, next = "int next = i; ";
  for (std::size_t k = 0; k < function.input_count(); ++k) {
    const auto type = function.inputs[k];
    next += fmt::format("double a{} = number_of(next); next = next * 3 + 1; ", k);
    if (type == Number::int32) next += fmt::format("int b{} = next % 61 - 30; ", k);
    if (type == Number::float32) next += fmt::format("float b{0} = a{0}; ", k);
    if (type == Number::float64) next += fmt::format("double b{0} = a{0}; ", k);
    inputs += (k > 0 ? ", b" : "b") + std::to_string(k);
  }
  const auto bits = function.result == Number::float32   ? "(unsigned long)(unsigned)__float_as_int(r)"
                    : function.result == Number::float64 ? "(unsigned long)__double_as_longlong(r)"
                                                         : "(unsigned long)(long long)r";
  return fmt::format(
      "unsigned long hash_{0}() {{ unsigned long h = {1}ul; for (int i = 0; i < {2}; ++i) {{ {3} auto r = {0}({4}); "
      "h = (h ^ {5}) * {6}ul; }} return h; }}\n",
      function.name, kSeed, kValues, next, inputs, bits, kPrime);
}

class HostMath : public testing::Test {
 protected:
  std::string printed(const std::string& text) {
    Printed sink;
    const auto error =
        interpreter::run_cell(session_, {text, fmt::format("In[{}]", ++cells_), fmt::format("math{}", cells_)}, sink);
    EXPECT_FALSE(error.has_value()) << error->error.message << "\n" << error->error.library << "\n" << text;
    return sink.text;
  }
  Machine machine_ = make_machine();
  command::Runner runner_;
  session::Session session_{make_parts(machine_, {}), runner_};
  int cells_ = 0;
};

TEST_F(HostMath, CompiledFunctionsGiveTheBitsOfTheHostsLibrary) {
  std::string definitions = kNumbers, calls;
  for (const auto& function : host_functions()) {
    definitions += hashing_function(function);
    calls += fmt::format("all[k++] = hash_{}(); ", function.name);
  }
  // One function, so that it is compiled once.
  printed(
      fmt::format("{}void all_hashes(unsigned long* all) {{ int k = 0; {} }}\nunsigned long all[{}]; all_hashes(all);",
                  definitions, calls, host_functions().size()));
  std::istringstream lines(
      printed(fmt::format("for (int i = 0; i < {}; ++i) printf(\"%lu\\n\", all[i]);", host_functions().size())));
  for (const auto& function : host_functions()) {
    std::uint64_t hash = 0;
    lines >> hash;
    const auto known = kHashes.find({function.result, function.inputs[0], function.inputs[1]});
    ASSERT_NE(known, kHashes.end()) << function.name;
    EXPECT_EQ(hash, known->second(function.address)) << function.name;
  }
}

// Those of a number that statements know, each of some values in double and in float.
TEST_F(HostMath, StatementsGiveTheBitsOfTheHostsLibrary) {
  std::string cell;
  std::vector<std::string> wanted;
  const double values[] = {0.3, -0.7, 1.25, 17.5, 1e-9, 123456.789};
  for (const auto& function : host_functions()) {
    const bool real = function.result == Number::float64 && function.inputs[0] == Number::float64;
    if (!real || !language::find_function(function.name)) continue;
    for (const double value : values) {
      if (function.inputs[1] == Number::none) {
        auto* const of_double = reinterpret_cast<double (*)(double)>(const_cast<void*>(function.address));
        cell += fmt::format("printf(\"%.17g\\n\", {}({}));\n", function.name, value);
        wanted.push_back(fmt::format("{} {}: {:.17g}", function.name, value, of_double(value)));
      } else if (function.inputs[1] == Number::float64) {
        auto* const of_two = reinterpret_cast<double (*)(double, double)>(const_cast<void*>(function.address));
        cell += fmt::format("printf(\"%.17g\\n\", {}({}, 0.37));\n", function.name, value);
        wanted.push_back(fmt::format("{} {}: {:.17g}", function.name, value, of_two(value, 0.37)));
      }
    }
  }
  ASSERT_GT(wanted.size(), 200u);
  std::istringstream lines(printed(cell));
  for (const auto& one : wanted) {
    std::string line;
    std::getline(lines, line);
    const auto text = one.substr(one.find(": ") + 2);
    if (text.find("nan") != std::string::npos)
      EXPECT_NE(line.find("nan"), std::string::npos) << one;
    else
      EXPECT_EQ(line, text) << one;
  }
}

}  // namespace
}  // namespace xcuda::test
