// xcuda-compile as a process: killed, hung, interrupted, replaced.
#include "compiler/compiler_client.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "tests/places.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// 2^30 different instances: NVRTC does not come to its end.
constexpr const char* kBomb =
    "template <int D, unsigned long P> struct B { static constexpr int v = B<D - 1, 2 * P>::v + B<D - 1, 2 * P + "
    "1>::v; };\n"
    "template <unsigned long P> struct B<0, P> { static constexpr int v = 1; };\n"
    "__global__ void k(int* x) { *x = B<30, 0>::v; }\n";

// In ticks of 10 ms; of a process that is gone, more than any has.
std::uint64_t processor_time(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto name = text.rfind(')');
  if (name == text.npos) return ~std::uint64_t{0};
  std::istringstream fields(text.substr(name + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  return user + system;
}

class ClientTest : public WithToolkit {
 protected:
  void SetUp() override {
    WithToolkit::SetUp();
    if (IsSkipped()) return;
    cache_ = fs::temp_directory_path() / ("xcuda_client_" + std::to_string(getpid()));
    fs::remove_all(cache_);
    fs::create_directories(cache_);
    client_ = make();
  }
  void TearDown() override {
    client_.reset();  // its process may be writing there
    fs::remove_all(cache_);
  }

  std::unique_ptr<CompilerClient> make(const std::string& program = test::program_file("xcuda-compile")) const {
    return std::make_unique<CompilerClient>(ClientOptions{.program = program,
                                                          .search = machine_toolkit(),
                                                          .own_includes = tree_includes(),
                                                          .cache_folder = cache_ / "compile",
                                                          .session_folder = cache_});
  }
  static CompileRequest small(const std::string& name = "/In[7]") {
    auto request = request_of("__global__ void k(float* x) { *x = 1; }\n");
    request.name = name;
    request.source = "#line 1 \"" + name + "\"\n__global__ void k(float* x) { *x = 1; }\n";
    return request;
  }
  // Compiles what never ends; `meanwhile` runs on another thread once the process works on it.
  Error failure(const WaitLimits& limits, std::function<void()> meanwhile) {
    expect_alive();  // NVRTC is loaded, and the process has nothing else to do from here on
    const auto process = client_->process();
    const auto begun = processor_time(process) + 5;
    auto other = std::async(std::launch::async, [&] {
      while (processor_time(process) < begun) std::this_thread::sleep_for(milliseconds(1));
      meanwhile();
    });
    try {
      client_->compile(request_of(kBomb), limits);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "it compiled";
    return Error(ErrorKind::internal, "");
  }
  void expect_alive() {
    auto request = small();
    request.cacheable = false;  // by its process
    const auto output = client_->compile(request, {});
    EXPECT_TRUE(output.ok) << output.log;
  }

  fs::path cache_;
  std::unique_ptr<CompilerClient> client_;
};

TEST_F(ClientTest, CompilesInAnotherProcess) {
  client_->start();
  const auto output = client_->compile(small(), {});
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_EQ(output.kernels.at(0).parameters.at(0).type, "float*");
  EXPECT_EQ(output.cache, CacheResult::miss);
  EXPECT_GT(client_->process(), 0);
  EXPECT_NE(client_->process(), getpid());
}

TEST_F(ClientTest, AFailedCompileIsAValue) {
  const auto output = client_->compile(request_of("__global__ void k() { y = 1; }\n"), {});
  EXPECT_FALSE(output.ok);
  ASSERT_EQ(output.diagnostics.size(), 1U);
  EXPECT_EQ(output.diagnostics[0].place.column, 23);
}

TEST_F(ClientTest, TheSameTextUnderAnotherNumberComesFromMemory) {
  client_->compile(small(), {});
  const auto again = client_->compile(small("/In[8]"), {});
  EXPECT_EQ(again.cache, CacheResult::memory);
  EXPECT_EQ(again.name, "/In[8]");
  EXPECT_EQ(client_->cache_counts().memory_hits, 1U);
}

TEST_F(ClientTest, ANewSessionFindsItOnDisk) {
  const auto first = client_->compile(small(), {});
  client_->compile(request_of("__device__ int other;\n"), {});  // the store comes before the next request is read
  client_.reset();
  auto second_client = make();
  const auto second = second_client->compile(small("/In[1]"), {});
  EXPECT_EQ(second.cache, CacheResult::disk);
  EXPECT_EQ(second.name, "/In[1]");
  EXPECT_EQ(second.kernels.at(0).entry, first.kernels.at(0).entry);
  EXPECT_EQ(second_client->process(), 0);  // nothing was started for it
}

TEST_F(ClientTest, AnotherBuildOfTheCompilerDoesNotTakeWhatThisOneWrote) {
  client_->compile(small(), {});
  client_->compile(request_of("__device__ int other;\n"), {});
  client_.reset();
  const auto other_build = cache_ / "xcuda-compile";
  fs::copy_file(test::program_file("xcuda-compile"), other_build);
  EXPECT_EQ(make(other_build)->compile(small(), {}).cache, CacheResult::miss);
}

TEST_F(ClientTest, AnEntryWithoutTheCellsKernelsIsAMiss) {
  auto request = request_of("__device__ int nothing;\n");
  request.kernels = {{.name = "k", .parameter_names = {"x"}, .source = "In[7]", .line = 1, .key = "k(float*)"}};
  ASSERT_TRUE(client_->compile(request, {}).kernels.empty());
  client_->compile(request_of("__device__ int other;\n"), {});
  client_.reset();
  EXPECT_EQ(make()->compile(request, {}).cache, CacheResult::miss);
}

TEST_F(ClientTest, AUnitThatLacksAnIncludeIsCompiledWithAllOfThem) {
  auto request = request_of("__global__ void k(int* x) { *x = LIMIT; }\n");
  request.whole_source = "#define LIMIT 7\n" + request.source;
  request.options = {"--minimal"};
  const auto first = client_->compile(request, {});
  ASSERT_TRUE(first.ok) << first.log;
  EXPECT_TRUE(first.diagnostics.empty());
  EXPECT_EQ(client_->cache_counts().misses, 2U);
  EXPECT_EQ(client_->compile(request, {}).cache, CacheResult::memory);
  EXPECT_EQ(client_->cache_counts().misses, 2U);  // what it lacks is known now
  request.source += "int y = z;\n";
  request.whole_source += "int y = z;\n";
  const auto wrong = client_->compile(request, {});
  ASSERT_EQ(wrong.diagnostics.size(), 1U);  // those of the whole unit: LIMIT is known there
  EXPECT_NE(wrong.diagnostics[0].text.find("\"z\""), std::string::npos);
}

TEST_F(ClientTest, WhatIsNotCacheableIsCompiledAgain) {
  auto request = small();
  request.cacheable = false;
  client_->compile(request, {});
  EXPECT_EQ(client_->compile(request, {}).cache, CacheResult::miss);
}

TEST_F(ClientTest, AnInterruptEndsACompile) {
  Interrupt interrupt;
  const auto error = failure({.interrupt = &interrupt}, [&] { interrupt.raise(); });
  EXPECT_EQ(error.kind, ErrorKind::interrupted);
  EXPECT_NE(error.message.find("In[7]"), std::string::npos);
  expect_alive();
}

TEST_F(ClientTest, AStoppedProcessIsKilledByAnInterrupt) {
  client_->compile(small(), {});
  Interrupt interrupt;
  const auto error = failure({.interrupt = &interrupt, .grace = milliseconds(100)}, [&] {
    kill(client_->process(), SIGSTOP);
    interrupt.raise();
  });
  EXPECT_EQ(error.kind, ErrorKind::interrupted);
  expect_alive();
}

TEST_F(ClientTest, ATimeLimitEndsACompile) {
  const auto error = failure({.deadline = std::chrono::steady_clock::now() + milliseconds(400)}, [] {});
  EXPECT_EQ(error.kind, ErrorKind::interrupted);
  EXPECT_NE(error.message.find("time limit"), std::string::npos);
  expect_alive();
}

// The child of this program that is not `other`, as soon as it compiles: it has greeted the session long before it has
// used so much of a processor.
pid_t child_unlike(pid_t other) {
  constexpr std::uint64_t kCompiling = 30;  // clock ticks
  for (;; std::this_thread::sleep_for(milliseconds(1)))
    for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
      std::ifstream list(thread.path() / "children");
      for (pid_t child = 0; list >> child;)
        if (child != other && processor_time(child) >= kCompiling) return child;
    }
}

TEST_F(ClientTest, ACrashIsTriedOnceMoreAndThenACompileErrorAndTheProcessIsReplaced) {
  client_->compile(small(), {});
  const auto before = client_->process();
  const auto error = failure({}, [&] {
    kill(before, SIGABRT);
    kill(child_unlike(before), SIGABRT);
  });
  EXPECT_EQ(error.kind, ErrorKind::compile);
  EXPECT_NE(error.library.find("twice"), std::string::npos) << error.library;
  EXPECT_NE(error.message.find("crashed on In[7]"), std::string::npos);
  EXPECT_NE(error.library.find("SIGABRT"), std::string::npos);
  expect_alive();
  EXPECT_NE(client_->process(), before);
}

TEST_F(ClientTest, AProcessThatDiedWhileIdleIsReplacedUnseen) {
  client_->compile(small(), {});
  kill(client_->process(), SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(client_->process()), &ended, WEXITED | WNOWAIT), 0);
  expect_alive();
}

TEST_F(ClientTest, AProcessThatIsLostWhileItCompilesIsReplacedUnseen) {
  for (const int number : {SIGKILL, SIGSEGV, SIGSTOP}) {
    expect_alive();
    const auto before = client_->process();
    kill(before, SIGSTOP);  // so that it cannot answer before it is struck
    auto helper = std::async(std::launch::async, [&] { kill(before, number); });
    expect_alive();
    helper.get();
    EXPECT_NE(client_->process(), before);
  }
}

TEST_F(ClientTest, AProgramThatDoesNotStartIsSaidToBeThat) {
  CompilerClient client({.program = "/bin/false",
                         .search = machine_toolkit(),
                         .own_includes = tree_includes(),
                         .cache_folder = "",
                         .session_folder = ""});
  client.start();
  try {
    client.compile(small(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message.find("cannot start the program /bin/false"), std::string::npos) << error.message;
    EXPECT_NE(error.library.find("exited with status 1"), std::string::npos) << error.library;
  }
}

TEST_F(ClientTest, WithoutADescriptorTheCompileSaysSoAndTheNextOneRuns) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  client_->start();  // does not throw
  std::optional<Error> error;
  try {
    auto request = small();
    request.cacheable = false;
    client_->compile(request, {});
  } catch (const Error& thrown) {
    error = thrown;
  }
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(error);
  EXPECT_NE(error->library.find("EMFILE"), std::string::npos) << error->library;
  expect_alive();
}

TEST_F(ClientTest, NoToolkitIsAClearError) {
  CompilerClient client(
      {.program = "/nowhere", .search = {}, .own_includes = "", .cache_folder = "", .session_folder = ""});
  client.start();
  try {
    client.compile(small(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::compile);
    EXPECT_NE(error.advice.find("CUDA_HOME"), std::string::npos);
  }
}

TEST_F(ClientTest, ALibraryThatIsNoNvrtcIsAClearError) {
  auto search = machine_toolkit();
  search.toolkit->nvrtc = "libdl.so.2";
  CompilerClient client({.program = test::program_file("xcuda-compile"),
                         .search = search,
                         .own_includes = "",
                         .cache_folder = "",
                         .session_folder = ""});
  try {
    client.compile(small(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::compile);
    EXPECT_NE(error.message.find("libdl.so.2"), std::string::npos);
  }
}

TEST_F(ClientTest, PrecompiledHeadersLiveInTheSessionsFolderTwoAtMost) {
  const auto pch_files = [&] {
    return std::count_if(fs::directory_iterator(cache_), fs::directory_iterator(),
                         [](const auto& entry) { return entry.path().extension() == ".pch"; });
  };
  const std::vector<std::string> headers{"cuda_fp16.h", "cuda_bf16.h", "math_constants.h"};
  for (const auto& header : headers) {
    auto request = request_of("#include <" + header + ">\n__global__ void k(float* x) { *x = 1; }\n");
    request.source.insert(0, "#include <" + header + ">\nstatic_assert(true);\n");
    request.options = {"--pch"};
    const auto output = client_->compile(request, {});
    ASSERT_TRUE(output.ok) << output.log;
    EXPECT_TRUE(output.diagnostics.empty()) << output.log;
    EXPECT_LE(pch_files(), 2);
  }
  if (client_->compile(small(), {}).nvrtc_version > "12.7") {
    EXPECT_GE(pch_files(), 1);
  }
}

TEST_F(ClientTest, AMissingHeaderIsFoundInItsCellWithPrecompiledHeadersToo) {
  auto request = request_of("\n\n  #include <nowhere.h>\n");
  request.source.insert(0, "#include <nowhere.h>\n");
  request.options = {"--pch"};
  const auto output = client_->compile(request, {});
  ASSERT_FALSE(output.ok);
  EXPECT_EQ(output.diagnostics.at(0).place.source, "In[7]");
  EXPECT_EQ(output.diagnostics.at(0).place.line, 3);
}

}  // namespace
}  // namespace xcuda::compiler
