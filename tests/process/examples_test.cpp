// The example of every command runs as it stands, and the table says nothing of options that are not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/sanitizers.hpp"
#include "command/command_table.hpp"
#include "command/runner.hpp"
#include "language/answers.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "programs/session_parts.hpp"
#include "tests/golden_files.hpp"
#include "tests/places.hpp"
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

// The example of every function of the language, after the arrays that its row assumes; and %export writes it as C++ or
// says why not. The golden list says which.
TEST(Examples, OfEveryFunctionRunAndAreExportedOrRefused) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-functions-{}", getpid());
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  std::string list;
  const auto run = [&](const std::string& code) {
    TextSink sink;
    return interpreter::run_cell(session, {code, "In[1]", {}}, sink);
  };
  for (const auto* function : language::all_functions()) {
    if (function->example.empty()) continue;
    session.reset();
    const auto code = fmt::format("float x[6] = {{3, 1, 2, 6, 5, 4}}, y[6] = 1;\n{}", function->example);
    const auto error = run(code);
    EXPECT_FALSE(error.has_value()) << function->name << ": " << (error ? error->error.message : "") << "\n" << code;
    const auto refused = run("%export --force program.cu");
    if (refused) {
      EXPECT_EQ(refused->error.kind, ErrorKind::unsupported) << function->name << ": " << refused->error.message;
      EXPECT_FALSE(refused->error.advice.empty()) << function->name;
    }
    auto example = std::string(function->example);
    std::replace(example.begin(), example.end(), '\n', ' ');
    list += fmt::format("{}: {}  // {}\n", function->name, example, refused ? refused->error.message : "exported");
  }
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  expect_approved(test::source_file("tests/golden/export/functions"), ".txt", list);
}

// "sum(x, axis = 0)" as x.sum(axis = 0); empty where the example is not one call of an array.
std::string as_method(std::string_view name, std::string_view example) {
  if (!example.starts_with(name) || example.find('\n') != std::string_view::npos) return {};
  auto rest = example.substr(name.size());
  if (!rest.starts_with('(') || !rest.ends_with(')')) return {};
  rest = rest.substr(1, rest.size() - 2);
  int depth = 0;
  auto end = rest.size();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == ',' && depth == 0) end = std::min(end, i);
    if (std::string_view("([{").find(rest[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(rest[i]) != std::string_view::npos && --depth < 0) return {};
  }
  const auto first = rest.substr(0, end);
  if (first.starts_with('{') || first.find_first_of("xy") == std::string_view::npos) return {};
  rest.remove_prefix(std::min(end + 2, rest.size()));
  return fmt::format("({}).{}({})", first, name, rest);
}

// x.sum(axis = 0) is sum(x, axis = 0); and what is wrong in a call is said with the function's name and what to do.
TEST(Functions, OfArraysAreMethodsAndSayWhatTheyExpect) {
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  const auto run = [&](const std::string& code) {
    TextSink sink;
    return interpreter::run_cell(session, {code, "In[1]", {}}, sink);
  };
  ASSERT_FALSE(run("float x[6] = {3, 1, 2, 6, 5, 4}, y[6] = 1;"));
  static constexpr std::string_view kAtRandom[] = {"permutation", "choice"};
  static constexpr std::string_view kSparse[] = {"csr", "coo"};
  std::size_t called = 0;
  for (const auto* function : language::all_functions()) {
    if (!language::is_function_of_arrays(function->name)) continue;
    const auto wrong = [&](const std::string& arguments, bool advised) {
      const auto code = fmt::format("{}({})", function->name, arguments);
      const auto failure = run(code);
      ASSERT_TRUE(failure) << code;
      EXPECT_NE(failure->error.kind, ErrorKind::internal) << code;
      const auto& error = failure->error;
      const bool names = error.message.find(function->name) != std::string::npos || !error.notes.empty() ||
                         error.message.starts_with("expected");
      EXPECT_TRUE(names) << code << ": " << error.message;
      if (advised) {
        EXPECT_FALSE(error.advice.empty()) << code << ": " << error.message;
      }
    };
    if (function->name != "device") wrong("", false);  // device() is the current one
    if (function->operation != language::Operation::numbers) {
      wrong("x, no_such_name = 1", true);
      wrong("\"text\", \"text\", \"text\", \"text\", \"text\", \"text\", \"text\", \"text\", \"text\"", false);
    }
    const auto method = as_method(function->name, function->example);
    if (method.empty()) continue;
    ++called;
    const bool random = std::find(std::begin(kAtRandom), std::end(kAtRandom), function->name) != std::end(kAtRandom);
    const bool sparse = std::find(std::begin(kSparse), std::end(kSparse), function->name) != std::end(kSparse);
    const auto code = random || sparse ? fmt::format("auto taken = {};", method)
                                       : fmt::format("assert(allclose({}, {}));", method, function->example);
    const auto failure = run(code);
    EXPECT_FALSE(failure) << code << ": " << failure->error.message;
  }
  EXPECT_GT(called, 100U);
}

// What is meant by habits from elsewhere: the advice says it, and does the same.
class Habits : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("xcuda-habits-{}", getpid());
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    session_.emplace(make_parts(machine_, {}), runner_);
    const auto failure = run(R"(
__global__ void twice(float* v, int n) { if (threadIdx.x < n) v[threadIdx.x] *= 2; }
__global__ void fetch(cudaTextureObject_t t, float* v, int n) { for (int i = 0; i < n; ++i) v[i] = tex1D<float>(t, 0.f); }
__global__ void put(cudaSurfaceObject_t s) { surf2Dwrite(7.f, s, 0, 0); }
__device__ float larger(float a, float b) { return a < b ? b : a; }
__device__ float half_of(float a) { return a / 2; }
__device__ bool large(float a) { return a > 3; }
void doubled(float& a) { a *= 2; }
__constant__ float coef[3];
)");
    ASSERT_FALSE(failure) << failure->message;
  }
  void TearDown() override {
    session_.reset();
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder_);
  }
  std::optional<Error> run(std::string_view code) {
    TextSink sink;
    auto failure = interpreter::run_cell(*session_, {std::string(code), fmt::format("In[{}]", ++number_), {}}, sink);
    return failure ? std::optional(std::move(failure->error)) : std::nullopt;
  }
  void give_arrays() {
    const auto failure =
        run("float x[6] = {3, 1, 2, 6, 5, 4}, y[6] = 1;\nint i[2] = {4, 0};\nconst int n = 6;\ncoef = 9;");
    ASSERT_FALSE(failure) << failure->message;
  }
  Machine machine_ = make_machine();
  command::Runner runner_;
  std::optional<session::Session> session_;
  std::filesystem::path folder_;
  int number_ = 0;
};

// {"3", "0"} of std::replace(x.begin(), x.end(), 3, 0).
std::vector<std::string> values_after_range(std::string_view written) {
  constexpr std::string_view kEnd = ".end()";
  auto rest = written.substr(std::min(written.find(kEnd), written.size() - kEnd.size()) + kEnd.size());
  std::vector<std::string> values;
  while (rest.starts_with(", ")) {
    rest.remove_prefix(2);
    const auto end = rest.find_first_of(",)");
    values.emplace_back(rest.substr(0, std::min(rest.find(".begin()"), end)));
    rest.remove_prefix(rest.starts_with(values.back() + ".begin()") ? values.back().size() + 8 : end);
  }
  if (values.empty()) values.emplace_back("0");
  values.emplace_back("f");
  return values;
}

// Minutes with AddressSanitizer, where a few of them show as much.
constexpr std::size_t kEvery = kAddressSanitizer ? 8 : 1;

TEST_F(Habits, AreAnsweredWithWhatRuns) {
  std::vector<std::string_view> not_run;
  std::size_t number = 0;
  for (const auto& habit : language::habits()) {
    if (number++ % kEvery != 0) continue;
    give_arrays();
    const auto answer = run(habit.written);
    EXPECT_TRUE(answer) << habit.written;
    const bool of_range = habit.kind == language::Habit::Kind::range;
    const bool of_arrays =
        of_range || habit.kind == language::Habit::Kind::function || habit.kind == language::Habit::Kind::member;
    const auto open = habit.written.find('('), close = habit.written.find_first_of(",)", open);
    const bool method = habit.written.starts_with("x.");
    const auto argument = of_range || method || close <= open + 1
                              ? std::string("x")
                              : std::string(habit.written.substr(open + 1, close - open - 1));
    const auto values = values_after_range(habit.written);
    auto advice = std::string(habit.advice);
    if (habit.kind == language::Habit::Kind::numpy || habit.kind == language::Habit::Kind::shell)
      advice = habit.instead.substr(0, habit.instead.find('\n'));
    else if (of_range)
      advice = fmt::format(fmt::runtime(habit.advice), argument, values[0], values[1]);
    else if (of_arrays)
      advice = fmt::format(fmt::runtime(habit.advice), argument, argument);
    if (answer) {
      EXPECT_EQ(answer->advice, advice) << habit.written << ": " << answer->message;
    }
    if (habit.instead.empty()) not_run.push_back(habit.names);
    for (auto left = habit.instead; !left.empty();) {
      const auto end = std::min(left.find("===\n"), left.size());
      if (left.data() == habit.instead.data()) give_arrays();
      const auto failure = run(left.substr(0, end));
      EXPECT_FALSE(failure) << habit.names << ": " << failure->message << failure->library << "\n" << left;
      left.remove_prefix(std::min(end + 4, left.size()));
    }
  }
  if (kEvery == 1) {
    // Those of host C++ say to write a program's cell; the others may not be installed.
    EXPECT_EQ(not_run, (std::vector<std::string_view>{
                           "mmap munmap mprotect uname utsname sysconf getpid pthread_create pthread_t pthread_join "
                           "std::thread std::mutex std::async",
                           "conda", "mamba micromamba", "uv", "man", "clear", "tensorboard"}));
  }
}

TEST_F(Habits, HaveEachNameOnce) {
  std::set<std::pair<language::Habit::Kind, std::string_view>> seen;
  for (const auto& habit : language::habits())
    for (const auto name : language::names_of(habit)) {
      EXPECT_TRUE(seen.insert({habit.kind, name}).second) << name;
      EXPECT_EQ(language::find_habit(habit.kind, name), &habit) << name;
    }
}

}  // namespace
}  // namespace xcuda::test
